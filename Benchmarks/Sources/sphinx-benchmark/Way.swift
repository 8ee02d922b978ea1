import BenchSpeech
import CBareLoop
import DictationCore
import DictationEngines
import Foundation

/// What came of a way to recognise some recordings.
struct Outcome: Codable {
    /// Word errors by set.
    var errors: [String: WordErrors]
    var audio: Double
    /// Seconds without those in which the model is loaded.
    var cpu: Double
    var wall: Double

    init() {
        errors = [:]
        audio = 0
        cpu = 0
        wall = 0
    }

    mutating func count(_ text: String, of recording: Recording) {
        errors[recording.set, default: WordErrors()].count(text, reference: recording.text)
        if ProcessInfo.processInfo.environment["SHOW"] != nil {
            FileHandle.standardError.write(Data("\(recording.set)\n  said  \(recording.text)\n  heard \(text)\n".utf8))
        }
    }
}

/// A way to recognise recordings.
enum Way: String {
    /// A session with volatile results.
    case live
    /// A recording, with workers.
    case file
    /// A plain C loop with the settings that recordings have.
    case bare
    /// Each recording as one utterance in C, with the same settings.
    case whole
    /// Each recording as one utterance in C, with PocketSphinx's own settings.
    case wholeDefaults

    func outcome(
        _ recordings: [Recording], _ priority: RecognitionOptions.Priority, workers: Int
    ) async throws -> Outcome {
        var outcome = Outcome()
        let engine = PocketSphinxEngine(retention: .processLifetime)
        var options = RecognitionOptions(priority: priority, deadline: .seconds(3_600))
        options.volatileResults = self == .live
        if self == .live || self == .file { try await engine.prepare(options) }
        let start = Usage()
        for recording in recordings {
            let samples = try recording.samples()
            outcome.audio += Double(samples.count) / 16_000
            switch self {
            case .live:
                outcome.count(try await live(samples, engine, options), of: recording)
            case .file:
                let finals = Finals()
                try await engine.transcribe(
                    AudioInput.pieces(of: samples), options: options, workers: workers,
                    into: ResultSink { finals.add($0) })
                outcome.count(finals.text, of: recording)
            case .bare, .whole, .wholeDefaults:
                let (text, cpu) = bare(samples, priority)
                outcome.count(text, of: recording)
                outcome.cpu += cpu
            }
        }
        let used = Usage() - start
        outcome.wall = used.wall
        if self == .live || self == .file { outcome.cpu = used.cpu }
        return outcome
    }

    private func live(
        _ samples: [Int16], _ engine: PocketSphinxEngine, _ options: RecognitionOptions
    ) async throws -> String {
        let session = try await engine.makeSession(options)
        try session.start(AudioInput.pieces(of: samples))
        async let completion = session.finish()
        let finals = Finals()
        for try await result in session.results { finals.add(result) }
        _ = try await completion
        return finals.text
    }

    private func bare(_ samples: [Int16], _ priority: RecognitionOptions.Priority) -> (String, Double) {
        let model = "/usr/share/pocketsphinx/model/en-us/"
        var words = ["-hmm", model + "en-us", "-dict", model + "cmudict-en-us.dict", "-lm", model + "en-us.lm.bin"]
        if self != .wholeDefaults {
            for (name, value) in PocketSphinxEngine.settings(for: priority) { words += [name, value] }
        }
        var copies = words.map { strdup($0) }
        defer { copies.forEach { free($0) } }
        var text = [CChar](repeating: 0, count: 1_000_000)
        let loop = self == .bare ? bare_loop : bare_utterance
        let spent = loop(Int32(copies.count), &copies, samples, samples.count, &text, text.count)
        return (String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self), spent)
    }
}

/// The final text of a recording.
private final class Finals: @unchecked Sendable {  // Results come one at a time.
    private(set) var text = ""
    func add(_ result: SpeechResult) { if result.isFinal, !result.text.isEmpty { text += result.text + " " } }
}

/// The time that this process used until now.
private struct Usage {
    var cpu: Double
    var wall: Double

    init() {
        func seconds(_ clock: clockid_t) -> Double {
            var now = timespec()
            clock_gettime(clock, &now)
            return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
        }
        cpu = seconds(CLOCK_PROCESS_CPUTIME_ID)
        wall = seconds(CLOCK_MONOTONIC)
    }

    static func - (a: Usage, b: Usage) -> Usage {
        var difference = a
        difference.cpu -= b.cpu
        difference.wall -= b.wall
        return difference
    }
}

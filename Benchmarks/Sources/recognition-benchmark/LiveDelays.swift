import BenchSpeech
import DictationCore
import DictationEngines
import Foundation

/// Measures how soon PocketSphinx and Moonshine together answer a speaker, with PocketSphinx's text as the preview. The
/// speech arrives as fast as it is said.
struct LiveDelays {
    /// The delays in one recording, in milliseconds.
    struct Row {
        var name: String
        /// From the beginning of the first word to the first volatile text.
        var first: Double?
        /// From the end of the pause that ends an utterance to its final text.
        var afterPause: [Double] = []
        /// From the end of an utterance's last word to its final text.
        var afterWord: [Double] = []
        /// The processor time, in that of the audio.
        var load: Double
    }

    private static let piece = 320
    private static let rest = Duration.milliseconds(1_500)
    private let quick = PocketSphinxEngine(retention: .processLifetime)
    private let engine: TwoPassEngine

    init() throws {
        engine = TwoPassEngine(
            quick: quick, thorough: try SherpaOnnxOfflineEngine(folder: ".build/moonshine-tiny-en", locales: ["en-US"]))
    }

    /// Prints the delays in recordings, and of how many each is true.
    func measure(_ recordings: [SpeechRecording]) async throws {
        try await engine.prepare(.liveDictation())
        print("| Recording | first text, ms | final after the pause, ms | final after the last word, ms | load |")
        print("|---|---:|---:|---:|---:|")
        var rows: [Row] = []
        for recording in recordings {
            let row = try await self.row(recording)
            rows.append(row)
            let cells = [row.first.map { [$0] } ?? [], row.afterPause, row.afterWord].map { delays in
                delays.map { String(format: "%.0f", $0) }.joined(separator: ", ")
            }
            print("| \(row.name) | \(cells.joined(separator: " | ")) | \(String(format: "%.2f", row.load)) |")
        }
        summarize("first text", rows.compactMap(\.first))
        summarize("final after the pause", rows.flatMap(\.afterPause))
        summarize("final after the last word", rows.flatMap(\.afterWord))
        summarize("load, thousandths", rows.map { $0.load * 1_000 })
    }

    private func summarize(_ name: String, _ values: [Double]) {
        let sorted = values.sorted()
        guard let last = sorted.last else { return }
        let (middle, most) = (sorted[sorted.count / 2], sorted[min(sorted.count - 1, sorted.count * 95 / 100)])
        print(String(format: "\(name): median %.0f, 95 in 100 within %.0f, greatest %.0f", middle, most, last))
    }

    private func row(_ recording: SpeechRecording) async throws -> Row {
        let speech = try recording.samples()
        let words = try await words(recording.text, in: speech)
        let silence = [Int16](repeating: 0, count: Int(AudioFormat.speech.frames(in: Self.rest)))
        let samples = speech + silence
        let session = try await engine.makeSession(.liveDictation())
        let (clock, began) = (ContinuousClock(), processorSeconds())
        let start = clock.now
        try session.start(Self.paced(samples, since: start))
        var row = Row(name: recording.name, load: 0)
        var end: Duration?
        for try await update in session.results {
            let now = clock.now - start
            if case .volatile(let result) = update, row.first == nil, !result.text.isEmpty {
                row.first = words.first.map { (now - $0.lowerBound) / .milliseconds(1) }
            }
            guard let result = update.finalResult, !result.text.isEmpty else { continue }
            // An utterance that was cut because of its length ended without a pause.
            if result.range.lowerBound == end { row.afterPause.removeLast() }
            end = result.range.upperBound
            row.afterPause.append((now - result.range.upperBound) / .milliseconds(1))
            if let word = words.last(where: { $0.lowerBound < result.range.upperBound }) {
                row.afterWord.append((now - word.upperBound) / .milliseconds(1))
            }
        }
        row.load = (processorSeconds() - began) * 16_000 / Double(samples.count)
        return row
    }

    /// Returns the times of known words, by forced alignment.
    private func words(_ text: String, in samples: [Int16]) async throws -> [Range<Duration>] {
        let words = text.lowercased().split(whereSeparator: \.isWhitespace).map { word in
            word.filter { $0.isLetter || $0 == "'" }
        }.filter { !$0.isEmpty }
        var options = RecognitionOptions(task: .alignment(words.joined(separator: " ")), wordTimes: true)
        options.contextualStrings = Set(words).sorted().map { RecognitionOptions.ContextualString($0) }
        let session = try await quick.makeSession(options)
        try session.start(AudioInput.pieces(of: samples))
        var found: [Range<Duration>] = []
        for try await case .final(let result) in session.results { found += result.words.compactMap(\.range) }
        return found
    }

    /// Returns buffers of 20 ms, each when its last sample has been said.
    private static func paced(_ samples: [Int16], since start: ContinuousClock.Instant) -> AudioInput {
        AudioInput(unfolding: {
            var next = 0
            return { () throws(DictationError) in
                guard next < samples.count else { return nil }
                let part = next..<min(samples.count, next + piece)
                next = part.upperBound
                let buffer = AudioBuffer(
                    Array(samples[part]), start: AudioFormat.speech.duration(ofFrames: Int64(part.lowerBound)))
                try? await Task.sleep(until: start + buffer.end, clock: .continuous)
                return buffer
            }
        })
    }
}

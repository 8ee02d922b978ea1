import CBareLoop
import DictationCore
import DictationEngines
import Foundation

/// Recognises recordings in one of several ways and prints errors and time.
///
///     sphinx-benchmark <way> <list> [priority] [workers]
///
/// The list has a line for each recording: the path of raw 16 kHz samples, a tab, what is said. The ways are `live`,
/// `file`, `bare` (a plain C loop with the same settings) and `score` (a third column holds the text to score).
@main struct Benchmark {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 3 else {
            print("usage: sphinx-benchmark live|file|bare|score <list> [speed|balanced|accuracy] [workers]")
            exit(2)
        }
        let priority = arguments.count > 3 ? RecognitionOptions.Priority(rawValue: arguments[3]) : .balanced
        let workers = arguments.count > 4 ? Int(arguments[4]) ?? 1 : 1
        guard let priority else { exit(2) }
        let rows = try String(contentsOfFile: arguments[2], encoding: .utf8).split(separator: "\n").map {
            $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        }
        let shows = ProcessInfo.processInfo.environment["SHOW"] != nil
        let engine = PocketSphinxEngine(retention: .processLifetime)
        var errors = WordErrors()
        var audio = 0.0
        var late: [Double] = []
        var options = RecognitionOptions(priority: priority)
        options.volatileResults = arguments[1] == "live"
        options.deadline = .seconds(600)
        if arguments[1] == "live" || arguments[1] == "file" { try await engine.prepare(options) }
        let start = Usage()
        var bareCPU = 0.0
        for row in rows where row.count >= 2 {
            let samples = row[1].isEmpty && row.count < 3 ? [] : try load(row[0])
            audio += Double(samples.count) / 16_000
            let text: String
            switch arguments[1] {
            case "live":
                let (words, lateness) = try await live(samples, engine, options)
                text = words
                late.append(lateness)
            case "file":
                let parts = Parts()
                try await engine.transcribe(
                    input(samples), options: options, workers: workers, into: ResultSink { parts.add($0) })
                text = parts.text
            case "bare": (text, bareCPU) = bare(samples, priority, adding: bareCPU)
            default: text = row[2]
            }
            if shows { print("\(row[0])\n  said  \(row[1])\n  heard \(text)") }
            errors.count(text, reference: row[1])
        }
        let used = Usage(since: start)
        let cpu = arguments[1] == "bare" ? bareCPU : used.cpu
        let lateness = late.isEmpty ? "" : String(format: "  last final after %.0f ms at most", 1_000 * late.max()!)
        print(
            String(
                format: "%-6@ %-9@ workers %d  errors %5.1f %% of %d words  audio %.0f s  cpu %.1f s (%.3f x)  "
                    + "wall %.1f s (%.3f x)  peak %d MB%@",
                arguments[1], priority.rawValue, workers, errors.rate, errors.words, audio, cpu, cpu / audio, used.wall,
                used.wall / audio, used.peak, lateness))
    }

    static func load(_ path: String) throws -> [Int16] {
        let data = try Data(contentsOf: URL(fileURLWithPath: path))
        return data.withUnsafeBytes { Array($0.bindMemory(to: Int16.self)) }
    }

    static func input(_ samples: [Int16]) -> AudioInput {
        AudioInput(unfolding: {
            var next = 0
            return { () throws(DictationError) in
                guard next < samples.count else { return nil }
                let part = next..<min(samples.count, next + 1_600)
                next = part.upperBound
                return AudioBuffer(
                    Array(samples[part]), start: AudioFormat.speech.duration(ofFrames: Int64(part.lowerBound)))
            }
        })
    }

    static func live(
        _ samples: [Int16], _ engine: PocketSphinxEngine, _ options: RecognitionOptions
    ) async throws -> (String, Double) {
        let session = try await engine.makeSession(options)
        try session.start(input(samples))
        let start = ContinuousClock.now
        async let completion = session.finish()
        var text = ""
        for try await result in session.results {
            if ProcessInfo.processInfo.environment["DEBUG"] != nil {
                print(result.status, result.range, result.text, result.finalizedThrough)
            }; guard result.isFinal, !result.text.isEmpty else { continue }
            text += result.text + " "
        }
        _ = try await completion
        return (text, (ContinuousClock.now - start) / .seconds(1))
    }

    static func bare(
        _ samples: [Int16], _ priority: RecognitionOptions.Priority, adding cpu: Double
    ) -> (String, Double) {
        let model = "/usr/share/pocketsphinx/model/en-us/"
        var words = ["-hmm", model + "en-us", "-dict", model + "cmudict-en-us.dict", "-lm", model + "en-us.lm.bin"]
        for (name, value) in PocketSphinxEngine.settings(for: priority) { words += [name, value] }
        var copies = words.map { strdup($0) }
        defer { copies.forEach { free($0) } }
        var text = [CChar](repeating: 0, count: 1_000_000)
        let spent = bare_loop(Int32(copies.count), &copies, samples, samples.count, &text, text.count)
        return (String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self), cpu + spent)
    }
}

/// The finals of a recording.
final class Parts: @unchecked Sendable {  // Results come one at a time.
    private(set) var text = ""
    func add(_ result: SpeechResult) { if !result.text.isEmpty { text += result.text + " " } }
}

/// The time that the process used.
struct Usage {
    var cpu: Double
    var wall: Double
    var peak = 0

    init() {
        var usage = rusage()
        getrusage(0, &usage)
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
        cpu = seconds(usage.ru_utime) + seconds(usage.ru_stime)
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        wall = Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
        peak = usage.ru_maxrss / 1_024
    }

    init(since start: Usage) {
        let now = Usage()
        cpu = now.cpu - start.cpu
        wall = now.wall - start.wall
        peak = now.peak
    }
}

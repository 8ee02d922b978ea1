import DictationCore
import DictationEngines
import Foundation

/// PocketSphinxEngine beside PocketSphinx itself: word errors and time.
///
///     sphinx-benchmark errors FILE.json [WAY…]             counts word errors over all recordings
///     sphinx-benchmark speed FILE.json RUNS [WAY…]         adds runs over a recording of three minutes
///     sphinx-benchmark report FILE.json                    the tables and what holds, in Markdown
///     sphinx-benchmark way WAY LIST [PRIORITY] [WORKERS]   one way to recognise a list, in this process
///
/// A way is what the tables call it, such as "file balanced"; without any, all are gone through.
@main struct Benchmark {
    static func main() async throws {
        var arguments = CommandLine.arguments.dropFirst()
        let command = arguments.popFirst() ?? ""
        switch command {
        case "errors", "speed":
            guard let file = arguments.popFirst().map({ URL(filePath: $0) }) else { usage() }
            var measurements = (try? Measurements(file)) ?? Measurements()
            let comparison = try Comparison()
            defer { comparison.cleanUp() }
            let rounds = command == "errors" ? 1 : arguments.popFirst().flatMap { Int($0) } ?? 5
            for _ in 0..<rounds {
                for way in command == "errors" ? Comparison.errorWays : Comparison.speedWays
                where arguments.isEmpty || arguments.contains(way) {
                    if command == "errors" {
                        measurements.errors[way] = try comparison.errors(of: way)
                    } else {
                        measurements.speed[way, default: []].append(try comparison.speed(of: way))
                    }
                    // Kept each time, for all of it takes long.
                    try measurements.write(to: file)
                }
            }
            print(Report(measurements).text)
        case "report":
            guard let file = arguments.popFirst() else { usage() }
            print(Report(try Measurements(URL(filePath: file))).text)
        case "way":
            guard let way = arguments.popFirst().flatMap({ Way(rawValue: $0) }), let list = arguments.popFirst() else {
                usage()
            }
            let priority = arguments.popFirst().flatMap { RecognitionOptions.Priority(rawValue: $0) } ?? .balanced
            let workers = arguments.popFirst().flatMap { Int($0) } ?? 1
            let outcome = try await way.outcome(try Recording.list(list), priority, workers: workers)
            print(String(decoding: try JSONEncoder().encode(outcome), as: UTF8.self))
        default: usage()
        }
    }

    private static func usage() -> Never {
        print("usage: sphinx-benchmark errors|report FILE.json, or speed FILE.json RUNS, and perhaps ways")
        exit(2)
    }
}

import BenchSpeech
import DictationEngines
import Foundation

/// Compares the word errors and the time of an engine with its references.
///
///     recognition-benchmark words ENGINE FILE.json [WAY…]                counts word errors in all recordings
///     recognition-benchmark speed ENGINE FILE.json RUNS LENGTH [WAY…]    measures the time for a length of speech
///     recognition-benchmark report ENGINE FILE.json [POCKETSPHINX.json]  prints tables and promises in Markdown
///     recognition-benchmark figures ENGINE FILE.json OUTPUT.json         writes figures for the table of benchmarks
///     recognition-benchmark way ENGINE LIST.json WAY                     recognizes a list in this process
///
/// A way has the name that the tables use, such as "file balanced 2". Without a way, all ways run. New measurements of
/// a way replace its earlier ones.
@main struct Benchmark {
    static func main() async {
        DictationHelper.runIfAsked()
        do {
            try await run(CommandLine.arguments)
        } catch {
            print("recognition-benchmark: \(error)")
            exit(1)
        }
    }

    private static func run(_ arguments: [String]) async throws {
        guard arguments.count >= 4, let contest = contests[arguments[2]] else { usage() }
        let (engine, file, rest) = (arguments[2], URL(filePath: arguments[3]), Array(arguments.dropFirst(4)))
        switch (arguments[1], rest.count) {
        case ("words", _):
            var measured = (try? Measurements(file)) ?? Measurements()
            let comparison = try Comparison(engine, contest)
            defer { comparison.cleanUp() }
            for way in contest.counted where rest.isEmpty || rest.contains(way) {
                measured.words[way] = try comparison.words(of: Way(way))
                // Writes the file after each way, because all ways together take long.
                try measured.writeJSON(to: file)
            }
        case ("speed", 2...):
            guard let runs = Int(rest[0]), let length = Length(rawValue: rest[1]) else { usage() }
            var measured = (try? Measurements(file)) ?? Measurements()
            let ways = contest.timed(length).filter { rest.count == 2 || rest.contains($0) }
            guard !ways.isEmpty else { return }
            let comparison = try Comparison(engine, contest)
            defer { comparison.cleanUp() }
            let speech = try comparison.speech(length)
            for way in ways { measured.speed[length.rawValue, default: [:]][way] = [] }
            for _ in 0..<runs {
                for way in ways {
                    let run = try comparison.run(of: Way(way), over: speech)
                    measured.speed[length.rawValue, default: [:]][way, default: []].append(run)
                    try measured.writeJSON(to: file)
                }
            }
        case ("report", 0...1):
            let other = try? rest.first.map { ("PocketSphinx", try Measurements(URL(filePath: $0))) }
            print(Report(contest: contest, measured: try Measurements(file), other: other).text)
        case ("figures", 1):
            try contest.figures(try Measurements(file)).writeJSON(to: URL(filePath: rest[0]))
        case ("way", 1):
            let recordings = try JSONDecoder().decode([SpeechRecording].self, from: Data(contentsOf: file))
            let outcome = try await contest.outcome(Way(rest[0]), recordings)
            print(String(decoding: try JSONEncoder().encode(outcome), as: UTF8.self))
        default: usage()
        }
    }

    private static func usage() -> Never {
        print(
            """
            usage: recognition-benchmark words|report ENGINE FILE.json
                   recognition-benchmark speed ENGINE FILE.json RUNS LENGTH
                   recognition-benchmark figures ENGINE FILE.json OUTPUT.json
                   recognition-benchmark delays "two-pass live" [RECORDING...]
            Engines: pocketsphinx, sherpa-onnx. Lengths: "all recordings", "three minutes", "an hour".
            """)
        exit(2)
    }
}

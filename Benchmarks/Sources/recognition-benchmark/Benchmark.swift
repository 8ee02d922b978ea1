import BenchSpeech
import DictationEngines
import Foundation

/// An engine beside its references: word errors and time.
///
///     recognition-benchmark words ENGINE FILE.json [WAY…]                counts word errors over all recordings
///     recognition-benchmark speed ENGINE FILE.json RUNS LENGTH [WAY…]    takes the time over so much speech
///     recognition-benchmark report ENGINE FILE.json [POCKETSPHINX.json]  the tables and what holds, in Markdown
///     recognition-benchmark figures ENGINE FILE.json OUTPUT.json         the same as figures for the table of all
///     recognition-benchmark way ENGINE LIST.json WAY                     one way to recognise a list, in this process
///
/// A way is what the tables call it, such as "file balanced 2"; without any, all are gone through. What a way's earlier
/// runs measured is replaced.
@main struct Benchmark {
    static func main() async {
        DictationHost.runIfAsked()
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
                // Kept each time, for all of it takes long.
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
            Engines: pocketsphinx, sherpa-onnx. Lengths: "all recordings", "three minutes", "an hour".
            """)
        exit(2)
    }
}

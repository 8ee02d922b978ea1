import BenchSpeech
import DictationBatch
import Foundation

/// A promise of an engine: a figure that must not be above a limit.
struct Promise {
    var text: String
    var value: Double
    var limit: Double
    var digits: Int
    var isStrict: Bool

    /// Creates a promise, or returns `nil` when its value or its limit was not measured.
    init?(_ text: String, _ value: Double?, _ limit: Double?, digits: Int = 1, isStrict: Bool = false) {
        guard let value, let limit else { return nil }
        self.text = text
        self.value = value
        self.limit = limit
        self.digits = digits
        self.isStrict = isStrict
    }

    var holds: Bool { isStrict ? value < limit : value <= limit }
}

/// The measurements as tables in Markdown, and whether each promise holds.
struct Report {
    let contest: any Contest
    let measured: Measurements
    /// The measurements of another engine, to show in the same table.
    var other: (title: String, measured: Measurements)?

    var text: String { (wordTable + Length.allCases.flatMap(speedTable) + promiseTable).joined(separator: "\n") }

    private var wordTable: [String] {
        let ways = contest.counted.filter { measured.words[$0] != nil }
        guard let first = ways.first else { return [] }
        let sets = Set(ways.flatMap { measured.words[$0]?.errors.keys.map(\.self) ?? [] }).sorted()
        var lines = [
            "Word errors in %:", "", "| | " + sets.joined(separator: " | ") + " | all |",
            "|---" + String(repeating: "|---", count: sets.count + 1) + "|",
        ]
        func add(_ title: String, _ measured: Measurements, _ way: String) {
            let cells = sets.map { measured.words[way]?.errors[$0] } + [measured.errors(of: way)]
            lines.append(
                "| \(title) | " + cells.map { $0.map { number($0.percent) } ?? "" }.joined(separator: " | ") + " |")
        }
        for way in ways { add(way, measured, way) }
        if let other {
            for way in ["pocketsphinx_continuous", "live balanced", "file balanced", "live accuracy", "file accuracy"]
            where other.measured.words[way] != nil {
                add("\(other.title): \(way)", other.measured, way)
            }
        }
        let count = measured.words[first]?.texts.count ?? 0
        return lines + ["", "There are \(measured.errors(of: first)?.words ?? 0) words in \(count) recordings.", ""]
    }

    private func speedTable(_ length: Length) -> [String] {
        let ways = contest.timed(length).filter { !measured.runs(length, $0).isEmpty }
        guard !ways.isEmpty else { return [] }
        return [
            "Time for \(length.rawValue) (medians; least … most):", "",
            "| way, preset, jobs | wall s | processor s | peak MB | errors % | runs |", "|---|---|---|---|---|---|",
        ]
            + ways.map { way in
                let runs = measured.runs(length, way)
                let errors = Set(runs.map { number($0.errors.percent) }).sorted().joined(separator: ", ")
                let cells = [
                    way, spread(runs.map(\.wall)), spread(runs.map(\.cpu)),
                    "\(runs.map(\.peakMegabytes).max() ?? 0)", errors, "\(runs.count)",
                ]
                return "| " + cells.joined(separator: " | ") + " |"
            } + [""]
    }

    private var promiseTable: [String] {
        let promises = contest.promises(measured)
        guard !promises.isEmpty else { return [] }
        return ["| Promise | measured | limit | holds |", "|---|---|---|---|"]
            + promises.map { promise in
                "| \(promise.text) | \(number(promise.value, promise.digits)) "
                    + "| \(promise.isStrict ? "<" : "≤") \(number(promise.limit, promise.digits)) "
                    + "| \(promise.holds ? "yes" : "**no**") |"
            }
    }

    private func spread(_ values: [Double]) -> String {
        "\(number(values.median, 2)) (\(number(values.min() ?? 0, 2)) … \(number(values.max() ?? 0, 2)))"
    }

    private func number(_ value: Double, _ digits: Int = 1) -> String { String(format: "%.\(digits)f", value) }
}

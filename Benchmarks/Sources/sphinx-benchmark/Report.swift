import Foundation

/// What was measured, as Markdown: the tables, and beside each promise whether it holds.
struct Report {
    let measurements: Measurements

    init(_ measurements: Measurements) { self.measurements = measurements }

    var text: String { (errorTable + speedTable + promises).joined(separator: "\n") }

    private static let priorities = ["speed", "balanced", "accuracy"]

    // MARK: Tables

    private var errorTable: [String] {
        let ways = Comparison.errorWays.filter { measurements.errors[$0] != nil }
        let sets = Set(measurements.errors.values.flatMap(\.keys)).sorted()
        guard !ways.isEmpty else { return [] }
        return [
            "Word errors in %:", "", "| | " + sets.joined(separator: " | ") + " | all |",
            "|---" + String(repeating: "|---", count: sets.count + 1) + "|",
        ]
            + ways.map { way in
                let found = sets.map { measurements.errors[way]?[$0] }
                let cells = found + [found.contains { $0 == nil } ? nil : measurements.errors(of: way)]
                return "| \(way) | "
                    + cells.map { $0.map { Self.number($0.percent) } ?? "" }.joined(separator: " | ")
                    + " |"
            }
            + ["", "There are \(measurements.errors(of: ways[0])?.words ?? 0) words.", ""]
    }

    private var speedTable: [String] {
        guard !measurements.speed.isEmpty else { return [] }
        return [
            "A recording of three minutes (medians; least … most):", "",
            "| way, preset, workers | wall s | processor s | peak MB | errors % | runs |",
            "|---|---|---|---|---|---|",
        ]
            + Comparison.speedWays.filter { measurements.speed[$0] != nil }.map { way in
                let runs = measurements.speed[way] ?? []
                let peak = runs.map(\.peakMegabytes).max() ?? 0
                let errors = Set(runs.map { Self.number($0.errors.percent) }).sorted().joined(
                    separator: ", ")
                return
                    "| \(way) | \(spread(\.wall, way)) | \(spread(\.cpu, way)) | \(peak) | \(errors) | \(runs.count) |"
            } + [""]
    }

    private func spread(_ figure: KeyPath<Measurements.Run, Double>, _ way: String) -> String {
        let values = (measurements.speed[way] ?? []).map { $0[keyPath: figure] }
        return "\(Self.number(measurements.median(figure, of: way) ?? 0)) "
            + "(\(Self.number(values.min() ?? 0)) … \(Self.number(values.max() ?? 0)))"
    }

    private static func number(_ value: Double, _ digits: Int = 1) -> String {
        String(format: "%.\(digits)f", value)
    }

    // MARK: Promises

    private var promises: [String] {
        var lines: [String] = []
        func check(
            _ what: String, _ value: Double?, _ limit: Double, digits: Int = 1, isStrict: Bool = false
        ) {
            guard let value else { return }
            let holds = isStrict ? value < limit : value <= limit
            lines.append(
                "| \(what) | \(Self.number(value, digits)) | \(isStrict ? "<" : "≤") \(Self.number(limit, digits)) "
                    + "| \(holds ? "yes" : "**no**") |")
        }
        let sets: [(String, (String) -> Bool)] = [
            ("testdata", { $0.hasPrefix("testdata") }), ("audio", { $0.hasPrefix("audio") }),
            ("all", { _ in true }),
        ]
        for (name, counts) in sets {
            for priority in Self.priorities {
                for way in ["live \(priority)", "file \(priority)"] {
                    guard let (ours, theirs) = both(way, Comparison.continuous, where: counts) else {
                        continue
                    }
                    check(
                        "\(way), errors on \(name) beside \(Comparison.continuous), %", ours, theirs,
                        isStrict: way.hasPrefix("file"))
                }
            }
        }
        for priority in Self.priorities {
            // A hundred seconds are no utterance.
            let counts = { (set: String) in !set.hasSuffix("long") }
            let errors = both("live \(priority)", "whole \(priority)", where: counts)
            check("live \(priority), points above whole utterances", errors.map { $0.0 - $0.1 }, 3)
        }
        for priority in Self.priorities {
            check(
                "file \(priority), processor time in that of the C loop with its settings",
                ratio(\.cpu, "file \(priority) 1", "bare \(priority) 1"), 1.05, digits: 2)
        }
        for (workers, limit) in [(1, 0.5), (2, 0.25)] {
            check(
                "file balanced, \(workers) at work, wall time in that of \(Comparison.continuous)",
                ratio(\.wall, "file balanced \(workers)", Comparison.continuous), limit, digits: 3)
        }
        if let peer = measurements.speed[Comparison.continuous]?.first?.errors.percent {
            check(
                "the same, errors, %", measurements.speed["file balanced 1"]?.first?.errors.percent, peer)
        }
        return ["| Promise | measured | limit | holds |", "|---|---|---|---|"] + lines
    }

    /// The percentages of two ways, over the sets that both were tried on.
    private func both(_ way: String, _ other: String, where counts: @escaping (String) -> Bool) -> (
        Double, Double
    )? {
        guard let sets = measurements.errors[way], let others = measurements.errors[other] else {
            return nil
        }
        let isCommon = { (set: String) in sets[set] != nil && others[set] != nil && counts(set) }
        guard sets.keys.contains(where: isCommon),
            let a = measurements.errors(of: way, where: isCommon),
            let b = measurements.errors(of: other, where: isCommon)
        else { return nil }
        return (a.percent, b.percent)
    }

    private func ratio(_ figure: KeyPath<Measurements.Run, Double>, _ way: String, _ other: String)
        -> Double?
    {
        guard let value = measurements.median(figure, of: way),
            let peer = measurements.median(figure, of: other)
        else {
            return nil
        }
        return value / peer
    }
}

import BenchSpeech

/// Writes measurements as a table in Markdown.
enum Table {
    static func text(_ measurements: [Measurement]) -> String {
        var lines = [
            "| What | Unit | Median | Lowest … highest (runs) | Beside it | Its median | Ratio |",
            "|---|---|---:|---|---|---:|---:|",
        ]
        for measurement in measurements {
            let runs = measurement.runs
            let spread = "\(rounded(runs.min() ?? 0)) … \(rounded(runs.max() ?? 0)) (\(runs.count))"
            let peer = measurement.peer
            let cells = [
                measurement.name, measurement.unit, rounded(runs.median), spread, peer?.name ?? "",
                peer.map { rounded($0.runs.median) } ?? "", measurement.ratio.map { rounded($0) } ?? "",
            ]
            lines.append("| " + cells.joined(separator: " | ") + " |")
        }
        return lines.joined(separator: "\n")
    }

    private static func rounded(_ value: Double) -> String {
        let digits = abs(value) >= 100 ? 1.0 : abs(value) >= 1 ? 100.0 : 10_000.0
        let number = (value * digits).rounded() / digits
        return number == number.rounded() ? "\(Int(number))" : "\(number)"
    }
}

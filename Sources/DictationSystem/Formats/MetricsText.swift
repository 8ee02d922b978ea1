/// Numbers in the text format of Prometheus.
package struct MetricsText: Sendable {
    package private(set) var text = ""
    /// The beginning of each name.
    private let prefix: String

    package init(prefix: String) { self.prefix = prefix }

    /// Adds a number for each of some labels.
    ///
    /// - Parameters:
    ///   - kind: `counter` or `gauge`.
    ///   - values: The labels, such as `status="200"`, and the numbers.
    package mutating func add(
        _ name: String, _ kind: String, _ help: String, _ values: [(labels: String, value: any CustomStringConvertible)]
    ) {
        head(name, kind, help)
        for (labels, value) in values {
            text += "\(prefix)\(name)\(labels.isEmpty ? "" : "{\(labels)}") \(value)\n"
        }
    }

    package mutating func add(_ name: String, _ help: String, _ spread: MetricsSpread) {
        head(name, "histogram", help)
        for (bound, count) in zip(spread.bounds, spread.counts) {
            text += "\(prefix)\(name)_bucket{le=\"\(bound)\"} \(count)\n"
        }
        text += "\(prefix)\(name)_bucket{le=\"+Inf\"} \(spread.total)\n"
        text += "\(prefix)\(name)_sum \(spread.sum)\n\(prefix)\(name)_count \(spread.total)\n"
    }

    private mutating func head(_ name: String, _ kind: String, _ help: String) {
        text += "# HELP \(prefix)\(name) \(help)\n# TYPE \(prefix)\(name) \(kind)\n"
    }
}

/// How many values lie below each of some bounds.
package struct MetricsSpread: Sendable {
    let bounds: [Double]
    private(set) var counts: [Int]
    private(set) var sum = 0.0
    private(set) var total = 0

    package init(_ bounds: [Double]) {
        self.bounds = bounds
        counts = bounds.map { _ in 0 }
    }

    package mutating func add(_ value: Double) {
        guard value.isFinite else { return }
        for (index, bound) in bounds.enumerated() where value <= bound { counts[index] += 1 }
        sum += value
        total += 1
    }
}

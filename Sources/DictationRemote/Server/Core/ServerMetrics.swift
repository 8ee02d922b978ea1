import Synchronization

/// Counts what a server does, in the text format of Prometheus.
///
/// Labels come from fixed lists only, so that no client can make the metrics grow.
final class ServerMetrics: Sendable {
    private struct Key: Hashable, Comparable {
        var interface: String
        var status: Int
        static func < (a: Key, b: Key) -> Bool { (a.interface, a.status) < (b.interface, b.status) }
    }

    private struct State: Sendable {
        var requests: [Key: Int] = [:]
        var audioSeconds: [String: Double] = [:]
        var workSeconds: [String: Double] = [:]
        var queue = Histogram([0.01, 0.1, 0.5, 1, 5, 30, 120])
        var latency = Histogram([0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60, 600])
        var realTimeFactor = Histogram([0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2])
    }

    private let state = Mutex(State())

    /// Counts a request that has ended.
    func count(_ entry: ServerLogEntry) {
        state.withLock { state in
            let interface = entry.interface.rawValue
            state.requests[Key(interface: interface, status: entry.status), default: 0] += 1
            guard entry.audioSeconds > 0 else { return }
            state.audioSeconds[interface, default: 0] += entry.audioSeconds
            state.workSeconds[interface, default: 0] += entry.workSeconds
            // A live stream lasts as long as its audio, whatever the machine can do.
            guard entry.interface == .http else { return }
            state.queue.add(entry.queueSeconds)
            state.latency.add(entry.queueSeconds + entry.workSeconds)
            state.realTimeFactor.add(entry.workSeconds / entry.audioSeconds)
        }
    }

    /// Returns the text for Prometheus.
    ///
    /// - Parameter gauges: The present values of what goes up and down.
    func text(_ gauges: [(name: String, help: String, value: Int)]) -> String {
        let state = state.withLock { $0 }
        var text = ""
        func head(_ name: String, _ help: String, _ type: String) {
            text += "# HELP dictation_\(name) \(help)\n# TYPE dictation_\(name) \(type)\n"
        }
        head("requests_total", "Requests and live streams that have ended.", "counter")
        for (key, count) in state.requests.sorted(by: { $0.key < $1.key }) {
            text += "dictation_requests_total{interface=\"\(key.interface)\",status=\"\(key.status)\"} \(count)\n"
        }
        for (name, help, values) in [
            ("audio_seconds_total", "Audio that was recognized.", state.audioSeconds),
            ("work_seconds_total", "Time that requests took after their turn had come.", state.workSeconds),
        ] {
            head(name, help, "counter")
            for (interface, seconds) in values.sorted(by: { $0.key < $1.key }) {
                text += "dictation_\(name){interface=\"\(interface)\"} \(seconds)\n"
            }
        }
        for (name, help, value) in gauges {
            head(name, help, "gauge")
            text += "dictation_\(name) \(value)\n"
        }
        for (name, help, histogram) in [
            ("queue_seconds", "How long recordings waited for their turn.", state.queue),
            ("request_seconds", "How long recordings took, with their waiting.", state.latency),
            ("real_time_factor", "Time of work for each second of a recording.", state.realTimeFactor),
        ] {
            head(name, help, "histogram")
            text += histogram.lines(named: "dictation_\(name)")
        }
        return text
    }
}

/// How many values lie below each of some bounds.
private struct Histogram: Sendable {
    private let bounds: [Double]
    private var counts: [Int]
    private var sum = 0.0
    private var total = 0

    init(_ bounds: [Double]) {
        self.bounds = bounds
        counts = bounds.map { _ in 0 }
    }

    mutating func add(_ value: Double) {
        guard value.isFinite else { return }
        for (index, bound) in bounds.enumerated() where value <= bound { counts[index] += 1 }
        sum += value
        total += 1
    }

    func lines(named name: String) -> String {
        zip(bounds, counts).map { "\(name)_bucket{le=\"\($0)\"} \($1)\n" }.joined()
            + "\(name)_bucket{le=\"+Inf\"} \(total)\n\(name)_sum \(sum)\n\(name)_count \(total)\n"
    }
}

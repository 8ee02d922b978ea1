#if Server
import DictationSystem
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
        var losses: [String: Int] = [:]
        var queue = MetricsSpread([0.01, 0.1, 0.5, 1, 5, 30, 120])
        var latency = MetricsSpread([0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60, 600])
        var realTimeFactor = MetricsSpread([0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2])
    }

    private let state = Mutex(State())

    /// Counts a request that has ended.
    func count(_ entry: DictationServer.Configuration.LogEntry) {
        state.withLock { state in
            let interface = entry.interface.rawValue
            state.requests[Key(interface: interface, status: entry.status), default: 0] += 1
            if entry.loss != nil { state.losses[interface, default: 0] += 1 }
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
        func sorted(_ values: [String: some CustomStringConvertible]) -> [(String, any CustomStringConvertible)] {
            values.sorted { $0.key < $1.key }.map { ("interface=\"\($0.key)\"", $0.value) }
        }
        var text = MetricsText(prefix: "dictation_")
        let requests = state.requests.sorted { $0.key < $1.key }
        text.add(
            "requests_total", "counter", "Requests and live streams that have ended.",
            requests.map { ("interface=\"\($0.key.interface)\",status=\"\($0.key.status)\"", $0.value) })
        text.add("incomplete_total", "counter", "Texts that lack a part of their audio.", sorted(state.losses))
        text.add("audio_seconds_total", "counter", "Audio that was recognized.", sorted(state.audioSeconds))
        text.add(
            "work_seconds_total", "counter", "Time that requests took after their turn had come.",
            sorted(state.workSeconds))
        for (name, help, value) in gauges { text.add(name, "gauge", help, [("", value)]) }
        text.add("queue_seconds", "How long recordings waited for their turn.", state.queue)
        text.add("request_seconds", "How long recordings took, with their waiting.", state.latency)
        text.add("real_time_factor", "Time of work for each second of a recording.", state.realTimeFactor)
        return text.text
    }
}
#endif

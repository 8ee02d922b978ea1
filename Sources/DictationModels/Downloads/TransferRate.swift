#if ModelCatalog
/// Bytes per second over the last few seconds.
struct TransferRate {
    private static let window = Duration.seconds(5)
    private var samples: [(time: Duration, bytes: Int64)] = []

    /// Notes how many bytes there are now; the answer is the rate, once there is one.
    mutating func update(_ bytes: Int64, at now: Duration) -> Double? {
        // Several updates within a moment say no more than the last of them.
        if samples.count > 1, let last = samples.last, now - last.time < .milliseconds(100) {
            samples[samples.count - 1].bytes = bytes
        } else {
            samples.append((now, bytes))
        }
        samples.removeAll { now - $0.time > Self.window }
        guard let first = samples.first, now > first.time else { return nil }
        return Double(bytes - first.bytes) / ((now - first.time) / .seconds(1))
    }
}
#endif

#if ModelCatalog
/// Computes the bytes per second over the last few seconds.
struct TransferRate {
    private static let window = Duration.seconds(5)
    private var samples: [(time: Duration, bytes: Int64)] = []

    /// Adds the current number of bytes. Returns the rate, or `nil` until there are two samples.
    mutating func update(_ bytes: Int64, at now: Duration) -> Double? {
        // Many updates within a moment would only make the list long.
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

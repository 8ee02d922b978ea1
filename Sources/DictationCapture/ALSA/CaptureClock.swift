import DictationCore

/// Compares the frames of a device with a clock, because a sound server can lose seconds of audio silently.
///
/// Two clocks never agree: a device runs a little fast or slow, and its frames arrive some time after their capture. So
/// this type follows the usual lag slowly. Only frames that are later than the usual lag, and stay late, count as lost.
struct CaptureClock {
    /// The time by which frames may be late without counting as lost.
    private static let tolerance = Duration.milliseconds(200)
    /// The time for which frames must stay late before they count as lost.
    private static let patience = Duration.milliseconds(500)
    /// The largest drift between the clocks: one part in this number.
    private static let drift: Int64 = 1_000

    let format: AudioFormat
    private let origin: Duration
    /// The number of frames that were received or counted as lost.
    private var counted: Int64 = 0
    private var lag: Int64 = 0
    private var lateSince: Duration?
    private var lastCheck: Duration

    /// Creates a clock when the first frames arrive. The last of them were captured at `now`.
    init(format: AudioFormat, firstFrames: Int, now: Duration) {
        self.format = format
        origin = now - format.duration(ofFrames: Int64(firstFrames))
        lastCheck = now
    }

    mutating func count(frames: Int) { counted += Int64(frames) }

    /// Counts the missing frames as lost, when audio comes again after an outage.
    ///
    /// - Parameters:
    ///   - now: The current time.
    ///   - atHand: The duration of the audio that has arrived and is not counted yet.
    /// - Returns: The number of lost frames.
    mutating func settle(now: Duration, atHand: Duration) -> Int64 {
        let lost = max(0, rawLag(now) - lag - format.frames(in: atHand))
        counted += lost
        lateSince = nil
        lastCheck = now
        return lost
    }

    /// Counts frames that went missing silently as lost, and returns their number.
    ///
    /// Call this after audio arrived and all of it has been read. While no audio arrives, nothing counts as lost,
    /// because a sound server may still hold it.
    mutating func check(now: Duration) -> Int64 {
        let late = rawLag(now)
        defer { lastCheck = now }
        if now - lastCheck > Self.tolerance { lateSince = nil }
        guard late > lag else {
            lag = late
            lateSince = nil
            return 0
        }
        guard late - lag > format.frames(in: Self.tolerance) else {
            lag += min(late - lag, 1 + format.frames(in: now - lastCheck) / Self.drift)
            lateSince = nil
            return 0
        }
        let since = lateSince ?? now
        lateSince = since
        guard now - since >= Self.patience else { return 0 }
        lateSince = nil
        counted += late - lag
        return late - lag
    }

    private func rawLag(_ now: Duration) -> Int64 { format.frames(in: now - origin) - counted }
}

import DictationCore

/// Holds the frames that a device gave against a clock, since a sound server can lose seconds without a word.
///
/// Two clocks never agree: a device may run a little fast or slow, and its frames come some time after they were
/// captured. So the usual lag is followed slowly, and only what is late beyond it, and stays late, is taken for lost.
struct CaptureClock {
    /// What may be late without being lost.
    private static let tolerance = Duration.milliseconds(200)
    /// How long it has to stay late.
    private static let patience = Duration.milliseconds(500)
    /// How far the clocks may run apart: one part in so many.
    private static let drift: Int64 = 1_000

    let format: AudioFormat
    private let origin: Duration
    /// The frames that were given or counted as lost.
    private var counted: Int64 = 0
    private var lag: Int64 = 0
    private var lateSince: Duration?
    private var lastCheck: Duration

    /// Begins with the first frames, the last of which were captured just now.
    init(format: AudioFormat, firstFrames: Int, now: Duration) {
        self.format = format
        origin = now - format.duration(ofFrames: Int64(firstFrames))
        lastCheck = now
    }

    mutating func count(frames: Int) { counted += Int64(frames) }

    /// Counts as lost what is missing when audio comes again after an outage, with so much at hand.
    mutating func settle(now: Duration, atHand: Duration) -> Int64 {
        let lost = max(0, rawLag(now) - lag - format.frames(in: atHand))
        counted += lost
        lateSince = nil
        lastCheck = now
        return lost
    }

    /// Counts as lost what went missing silently; to be called when audio came and all of it has been read.
    ///
    /// While nothing comes nothing is lost yet: a sound server may still have it.
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

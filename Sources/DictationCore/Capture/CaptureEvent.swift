/// What a capturer says, in the order in which it happened.
public enum CaptureEvent: Sendable {
    /// Audio. Its format may differ from the buffer's before it.
    case buffer(AudioBuffer)
    /// Audio that was lost.
    case gap(AudioGap)
    /// The device stopped giving audio; the capturer is trying to get it back.
    case interrupted(InterruptionCause)
    /// Audio comes again, perhaps from another device.
    case resumed(AudioDevice?)
    /// Audio comes from another device than before.
    case routeChanged(AudioDevice?)
}

/// Audio that was lost: where, how much, why.
public struct AudioGap: Sendable, Hashable {
    /// Where it is missing on the timeline.
    public var range: Range<Duration>
    /// How many frames are missing, at the rate of the audio around it.
    public var frameCount: Int64
    /// Why they are missing.
    public var cause: Cause

    /// Makes a gap.
    public init(range: Range<Duration>, frameCount: Int64, cause: Cause) {
        self.range = range
        self.frameCount = frameCount
        self.cause = cause
    }

    /// Why audio is missing.
    public enum Cause: String, Sendable, Hashable, Codable {
        /// The device's buffer ran over before it was read.
        case overrun
        /// The machine or the sound server was suspended.
        case suspended
        /// The device was gone.
        case unplugged
        /// The device gave nothing although it was open.
        case stalled
        /// The engine did not keep up and the bounded queue before it was full.
        case engineBehind
        /// The engine failed or ran out of time before it took the audio.
        case engineFailed
        /// The file that kept it for `retry` is damaged.
        case damaged
        /// The disk was too slow or failed, so `retry` does not have it.
        case notKept
    }
}

/// Why a device stopped giving audio.
public enum InterruptionCause: String, Sendable, Hashable, Codable {
    /// The device was unplugged or its server ended.
    case deviceLost
    /// The machine or the sound server was suspended.
    case suspended
    /// The device is open but gives nothing.
    case noData
}

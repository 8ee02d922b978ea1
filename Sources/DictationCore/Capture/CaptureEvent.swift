/// An event of a capturer. Events come in the order in which they happened.
@nonexhaustive public enum CaptureEvent: Sendable {
    /// Audio. Its format may differ from that of the last buffer.
    case buffer(AudioBuffer)
    /// Audio that was lost.
    case gap(AudioGap)
    /// The device stopped delivering audio. The capturer is trying to get it back.
    case interrupted(CaptureEvent.InterruptionCause)
    /// Audio comes again, possibly from another device.
    case resumed(AudioDevice?)
    /// Audio now comes from another device.
    case routeChanged(AudioDevice?)
}

/// A range of audio that was lost, and why.
public struct AudioGap: Sendable, Hashable {
    /// The missing range on the timeline.
    public var range: Range<Duration>
    /// The number of missing frames, at the rate of the surrounding audio.
    public var frameCount: Int64
    /// Why the frames are missing.
    public var cause: Cause

    /// Creates a gap.
    public init(range: Range<Duration>, frameCount: Int64, cause: Cause) {
        self.range = range
        self.frameCount = frameCount
        self.cause = cause
    }

    /// Why audio is missing.
    @nonexhaustive public enum Cause: String, Sendable, Hashable, Codable {
        /// The device's buffer or the ``CaptureFeed`` was full, because its reader was too slow.
        case overrun
        /// The machine or the sound server was suspended.
        case suspended
        /// The device was disconnected.
        case unplugged
        /// The device was open but delivered nothing.
        case stalled
        /// The engine did not keep up: the queue before it was full, or it did not take the audio before the take's time
        /// limit.
        case engineBehind
        /// The engine failed before it took the audio, or each time that it took it.
        case engineFailed
        /// The saved audio for ``DictationSession/retry(_:)`` is damaged.
        case damaged
        /// The disk was too slow or failed, so ``DictationSession/retry(_:)`` does not have the audio.
        case notKept
    }
}

extension CaptureEvent {
    /// Why a device stopped delivering audio.
    @nonexhaustive public enum InterruptionCause: String, Sendable, Hashable, Codable {
        /// The device was unplugged, or its sound server ended.
        case deviceLost
        /// The machine or the sound server was suspended.
        case suspended
        /// The device is open but delivers nothing.
        case noData
    }
}

extension CapturerConformance {
    /// The promises of `AudioCapturer`.
    public enum Clause: String, ConformanceClause {
        // MARK: Before the start

        /// Device identifiers are unique.
        case devicesAreUnique
        /// The default device comes first.
        case defaultDeviceIsFirst
        /// An unknown device throws.
        case unknownDeviceThrows
        /// Recording without permission throws.
        case deniedThrows

        // MARK: The stream

        /// The stream delivers audio.
        case audioComes
        /// Each stream begins at zero.
        case timesBeginAtZero
        /// The timeline has no overlaps and no holes.
        case timelineIsContiguous
        /// Times are counted in frames.
        case timesAreCountedInFrames
        /// Gaps have the number of missing frames.
        case gapsAreCounted
        /// Buffers are valid.
        case buffersAreWhole
        /// Audio that a slow reader misses becomes a gap.
        case slowReadersAreTold
        /// On-demand pacing loses no audio.
        case onDemandLosesNothing
        /// A device that disappears does not end the stream.
        case troubleIsNotTheEnd
        /// A failure ends the stream with an error.
        case failureEndsTheStream

        // MARK: Starting and stopping

        /// A capturer has one stream at a time.
        case secondStartThrows
        /// `stop(_:)` ends the stream.
        case stopEndsTheStream
        /// `stop(_:)` loses no audio.
        case stopDeliversWhatWasCaptured
        /// `stop(_:)` is safe at any time.
        case stopIsSafeAtAnyTime
        /// `stop(_:)` during a start ends it.
        case stopDuringStartEnds
        /// A stopped capturer can start again.
        case startsAgainAfterStop

        /// The promise in one sentence.
        public var statement: String {
            switch self {
            case .devicesAreUnique: "Each device has a unique identifier that is not empty."
            case .defaultDeviceIsFirst: "At most one device is the default, and it comes first."
            case .unknownDeviceThrows:
                "Starting with an unknown device throws deviceNotFound and opens no other device."
            case .deniedThrows:
                "Without permission to record, authorization is denied and start(_:) throws permissionDenied."
            case .audioComes: "After a start, the stream delivers audio."
            case .timesBeginAtZero: "The times of each stream begin at zero, with its first sample."
            case .timelineIsContiguous: "Buffers and gaps follow one another without overlaps and holes."
            case .timesAreCountedInFrames: "Times are counted in frames and never read from a clock."
            case .gapsAreCounted: "A gap has the number of missing frames and lasts as long as they would."
            case .buffersAreWhole: "Each buffer has at least one frame and a valid format."
            case .slowReadersAreTold:
                "Audio that a slow reader misses becomes a gap, so buffers and gaps cover the whole time."
            case .onDemandLosesNothing:
                "With on-demand pacing, audio waits for its reader and is the same at any reading speed."
            case .troubleIsNotTheEnd:
                "When a device disappears and returns, the stream has an interruption, a gap, a resumption and more audio."
            case .failureEndsTheStream: "A capturer that can't go on ends the stream with an error and can be stopped."
            case .secondStartThrows:
                "A second start before the stop throws alreadyRunning and does not affect the stream."
            case .stopEndsTheStream: "After stop(_:) the stream ends without an error."
            case .stopDeliversWhatWasCaptured: "stop(_:) delivers all audio captured until then."
            case .stopIsSafeAtAnyTime: "stop(_:) returns at any time, however often it is called."
            case .stopDuringStartEnds: "A stop(_:) during a start leaves nothing running."
            case .startsAgainAfterStop: "After a warm or a full stop, a new start returns a new stream."
            }
        }
    }
}

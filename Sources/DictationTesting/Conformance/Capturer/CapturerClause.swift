/// The promises of `AudioCapturer`.
public enum CapturerClause: String, ConformanceClause {
    // MARK: Before the start

    /// Devices can be told apart.
    case devicesAreUnique
    /// The default device comes first.
    case defaultDeviceIsFirst
    /// A device that isn't there throws.
    case unknownDeviceThrows
    /// Without permission there is no recording.
    case deniedThrows

    // MARK: The stream

    /// Audio comes.
    case audioComes
    /// Each stream begins at zero.
    case timesBeginAtZero
    /// No overlap, no hole.
    case timelineIsContiguous
    /// Times are counts of frames.
    case timesAreCountedInFrames
    /// Gaps say how much is missing.
    case gapsAreCounted
    /// Buffers are usable.
    case buffersAreWhole
    /// A slow reader is told what it lost.
    case slowReadersAreTold
    /// What waits for its reader loses nothing.
    case onDemandLosesNothing
    /// Trouble with the device is not the end.
    case troubleIsNotTheEnd
    /// Failing is an end with an error.
    case failureEndsTheStream

    // MARK: Starting and stopping

    /// One stream at a time.
    case secondStartThrows
    /// Stopping ends the stream.
    case stopEndsTheStream
    /// Stopping loses nothing.
    case stopDeliversWhatWasCaptured
    /// Stopping is always safe.
    case stopIsSafeAtAnyTime
    /// Stopping during a start ends what it starts.
    case stopDuringStartEnds
    /// After the stop there can be a new start.
    case startsAgainAfterStop

    /// The promise, in a sentence.
    public var statement: String {
        switch self {
        case .devicesAreUnique: "Each device has an identifier of its own that is not empty."
        case .defaultDeviceIsFirst: "At most one device is the default one, and it comes first."
        case .unknownDeviceThrows:
            "Starting with a device that isn't there throws deviceNotFound; none takes its place."
        case .deniedThrows:
            "When recording is not permitted, authorization says so and starting throws permissionDenied."
        case .audioComes: "After a start audio comes."
        case .timesBeginAtZero: "The times of each stream begin at zero with its first sample."
        case .timelineIsContiguous: "Buffers and gaps follow one another without overlap and without hole."
        case .timesAreCountedInFrames: "Times are counted in frames, never read off a clock."
        case .gapsAreCounted: "A gap says how many frames are missing, and lasts as long as they would."
        case .buffersAreWhole: "A buffer has frames, in a format that audio can have."
        case .slowReadersAreTold: "What a reader is too slow for is a gap; buffers and gaps make up the whole time."
        case .onDemandLosesNothing: "With on-demand pacing audio waits for its reader and is the same however it reads."
        case .troubleIsNotTheEnd:
            "A device that goes away and comes back is an interruption, a gap, a resumption and audio again."
        case .failureEndsTheStream: "A capturer that can't go on ends the stream with an error, and can be stopped."
        case .secondStartThrows: "A second start before the stop throws alreadyRunning and disturbs nothing."
        case .stopEndsTheStream: "After stop(_:) the stream ends without an error."
        case .stopDeliversWhatWasCaptured: "stop(_:) delivers what was captured until then."
        case .stopIsSafeAtAnyTime: "stop(_:) comes back at any time and any number of times."
        case .stopDuringStartEnds: "A stop(_:) during a start leaves nothing running."
        case .startsAgainAfterStop: "After stop(_:), warm or full, a new start gives a new stream."
        }
    }
}

/// Where audio comes from: a microphone, a file, a test's script.
///
/// - **Choose** `ALSACapturer` for a microphone, `FileCapturer` for a recording, `ScriptedCapturer` in tests.
/// - **Use** it through `DictationSession`, or call `start(_:)` and read the stream.
/// - **Implement** it by making a `CaptureStream` and feeding it; check the result with `CapturerConformance`
///   from DictationTesting.
///
/// What a capturer promises:
/// 1. times begin at zero with the first captured sample of each stream and are counted in frames, never read off a clock;
/// 2. buffers and gaps follow one another without overlap and without hole;
/// 3. what is lost is a gap with its frames and cause;
/// 4. a device that goes away and comes back is an interruption and a gap, not the end;
/// 5. `stop(_:)` delivers what was captured until then and ends the stream; it is safe at any time and any number of times;
/// 6. a second `start(_:)` before the stop throws `alreadyRunning` and disturbs nothing; after the stop, warm or full, a
///    start gives a new stream;
/// 7. a device that isn't there throws `deviceNotFound`, recording without permission `permissionDenied`.
///
/// `CapturerClause` in DictationTesting has these promises one by one.
public protocol AudioCapturer: Sendable {
    /// Whether audio comes by itself, or as fast as it is asked for.
    var pacing: CapturePacing { get }
    /// Whether recording is permitted.
    var authorization: CaptureAuthorization { get async }
    /// The devices that can be captured from, the default one first.
    func devices() async throws(DictationError) -> [AudioDevice]
    /// Opens the device and begins to capture; the stream has everything from the first sample on.
    func start(_ options: CaptureOptions) async throws(DictationError) -> CaptureStream
    /// Stops capturing; the stream gives what is left and ends.
    func stop(_ mode: CaptureStopMode) async
}

extension AudioCapturer {
    /// Recording is authorized unless a capturer says otherwise.
    public var authorization: CaptureAuthorization { get async { .authorized } }
    /// A capturer without devices of its own lists none.
    public func devices() async throws(DictationError) -> [AudioDevice] { [] }
}

/// Whether audio comes by itself or waits for its reader.
public enum CapturePacing: Sendable, Hashable {
    /// Audio comes at its own speed; a reader that is too slow loses some, and is told.
    case live
    /// Audio waits until it is read; nothing is lost.
    case onDemand
}

/// Whether recording is permitted.
public enum CaptureAuthorization: Sendable, Hashable {
    /// Recording is permitted.
    case authorized
    /// Recording is refused; the text says what to do about it.
    case denied(String)
}

/// What becomes of the device when capture stops.
public enum CaptureStopMode: Sendable, Hashable {
    /// The device stays open for a while, so that the next start is fast.
    case warm
    /// The device is let go.
    case full
}

/// What to capture.
public struct CaptureOptions: Sendable, Hashable {
    /// The device's stable identifier; `nil` is the default device.
    public var device: AudioDevice.ID?
    /// The format to prefer. A capturer delivers what its device has; converting is the converter's work.
    public var preferredFormat: AudioFormat

    /// Makes capture options.
    public init(device: AudioDevice.ID? = nil, preferredFormat: AudioFormat = .speech) {
        self.device = device
        self.preferredFormat = preferredFormat
    }
}

/// A device that audio can be captured from.
public struct AudioDevice: Sendable, Hashable, Identifiable, Codable {
    /// The name that stays the same when the device is plugged out and in again.
    public var id: String
    /// What a person calls it.
    public var name: String
    /// Whether it is the one that is used when none is asked for.
    public var isDefault: Bool

    /// Makes a device.
    public init(id: String, name: String, isDefault: Bool = false) {
        self.id = id
        self.name = name
        self.isDefault = isDefault
    }
}

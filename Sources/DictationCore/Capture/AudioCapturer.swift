/// A source of audio: a microphone, a file, or a script for tests.
///
/// - **Choose** `ALSACapturer` for a microphone, `FileCapturer` for a recording, `ScriptedCapturer` in tests.
/// - **Use** it through ``DictationSession``, or call ``start(_:)`` and read the stream.
/// - **Implement** it by writing to a ``CaptureFeed`` and returning its stream.
/// - **Test** your own with `CapturerConformance` from DictationTesting. The cases of `CapturerConformance.Clause` there are what a
///   capturer promises.
public protocol AudioCapturer: Sendable {
    /// Whether audio comes at its own speed, or as fast as it is read.
    var pacing: CaptureStream.Pacing { get }
    /// Whether recording is permitted.
    var authorization: AudioDevice.Authorization { get async }
    /// Returns the available devices, the default device first.
    func devices() async throws(DictationError) -> [AudioDevice]
    /// Opens the device and starts to capture. The stream has all audio from the first sample on.
    ///
    /// - Throws: ``DictationError/Code/alreadyRunning`` before the last stream was stopped,
    ///   ``DictationError/Code/deviceNotFound`` for an unknown device, and ``DictationError/Code/permissionDenied``
    ///   without permission to record.
    func start(_ options: CaptureOptions) async throws(DictationError) -> CaptureStream
    /// Stops capturing. The stream delivers all audio captured so far and ends.
    ///
    /// You can call this at any time, also more than once.
    func stop(_ mode: CaptureOptions.StopMode) async
}

extension AudioCapturer {
    /// Always `authorized`, for a capturer that needs no permission.
    public var authorization: AudioDevice.Authorization { get async { .authorized } }
    /// Returns no devices, for a capturer that has none to choose from.
    public func devices() async throws(DictationError) -> [AudioDevice] { [] }
}

extension CaptureStream {
    /// Whether audio comes at its own speed or waits for its reader.
    public enum Pacing: Sendable, Hashable {
        /// Audio comes at its own speed. A reader that is too slow loses audio, and gets a gap in its place.
        case live
        /// Audio waits until it is read. Nothing is lost.
        case onDemand
    }
}

extension AudioDevice {
    /// Whether recording is permitted.
    public enum Authorization: Sendable, Hashable {
        /// Recording is permitted.
        case authorized
        /// Recording is denied. The text says what to do.
        case denied(String)
    }
}

extension CaptureOptions {
    /// Whether the device stays open when capture stops.
    public enum StopMode: Sendable, Hashable {
        /// Keeps the device open for a while, so that the next start is fast.
        case warm
        /// Closes the device.
        case full
    }
}

/// The device and format to capture.
public struct CaptureOptions: Sendable, Hashable {
    /// The device's stable identifier; `nil` for the default device.
    public var device: AudioDevice.ID?
    /// The preferred format. A capturer delivers audio in its device's format if that differs; a ``FormatConverter``
    /// converts it.
    public var preferredFormat: AudioFormat

    /// Creates capture options.
    public init(device: AudioDevice.ID? = nil, preferredFormat: AudioFormat = .speech) {
        self.device = device
        self.preferredFormat = preferredFormat
    }
}

/// A device that can record audio.
public struct AudioDevice: Sendable, Hashable, Identifiable, Codable {
    /// The device's stable identifier. It stays the same when the device is unplugged and plugged in again.
    public var id: String
    /// The device's name for people.
    public var name: String
    /// Whether this is the default device.
    public var isDefault: Bool

    /// Creates a device.
    public init(id: String, name: String, isDefault: Bool = false) {
        self.id = id
        self.name = name
        self.isDefault = isDefault
    }
}

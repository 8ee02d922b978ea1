#if ALSA
public import DictationCore
import Synchronization

/// Captures from a microphone through ALSA. On a desktop, ALSA's default device is PulseAudio or PipeWire.
///
/// The stream has the device's own format. The capture goes on after the device was unplugged, suspended or overrun,
/// and each loss is reported as a gap.
///
/// The capturer reads the device on a real thread, even in `VirtualTime`. In tests with virtual time, use
/// ``ScriptedCapturer``.
public final class ALSACapturer: AudioCapturer {
    /// Audio comes at its own speed: a slow reader loses some of it.
    public var pacing: CaptureStream.Pacing { .live }
    private let system: any PCMSystem
    private let settings: CaptureLoop.Settings
    private let trustedDevices: Set<[UInt8]>
    private let warm: WarmDevice
    private let runtime = DictationRuntime.current
    private let gate: CaptureGate<ALSATake>

    /// Creates a capturer.
    ///
    /// The capturer opens the devices that ALSA lists, and plain names such as `hw:1,0`. It refuses any other name,
    /// because a name can make ALSA's plugins run commands and write files. To allow such a name, trust it:
    ///
    ///     let capturer = ALSACapturer(trustedDevices: ["dsnoop:{CARD PCH DEV 0}"])
    ///
    /// - Parameters:
    ///   - lingering: The time for which a device stays open after a warm stop.
    ///   - trustedDevices: Names to open without a check. Never take them from input that someone else can write.
    public convenience init(lingering: Duration = .seconds(30), trustedDevices: [AudioDevice.ID] = []) {
        self.init(
            ALSASystem(), lingering: lingering, settings: CaptureLoop.Settings(), trustedDevices: trustedDevices)
    }

    init(
        _ system: any PCMSystem, lingering: Duration, settings: CaptureLoop.Settings,
        trustedDevices: [AudioDevice.ID] = []
    ) {
        self.system = system
        self.settings = settings
        self.trustedDevices = Set(trustedDevices.map { Array($0.utf8) })
        let warm = WarmDevice(lingering: lingering)
        self.warm = warm
        gate = CaptureGate(hasEnded: \.hasEnded) { await $0.end() }
    }

    /// Whether the default device may be opened. If there is no device, recording is authorized.
    public var authorization: AudioDevice.Authorization {
        get async {
            let system = system
            do throws(DictationError) {
                try await BlockingWork("capture-try", runtime: .system).run { () throws(DictationError) in
                    try system.tryOpening("default")
                }
            } catch {
                if error.code == .permissionDenied { return .denied(error.recovery ?? error.message) }
            }
            return .authorized
        }
    }

    /// Returns the devices that can capture, the default device first. Their identifiers are ALSA's names.
    ///
    /// ALSA lists many names on every machine. The result leaves out converters for other devices, JACK and OSS. It
    /// contains a sound server only while the server runs.
    public func devices() async throws(DictationError) -> [AudioDevice] {
        let system = system
        return try await BlockingWork("capture-list", runtime: .system).run { () throws(DictationError) in
            system.devices()
        }
    }

    /// The devices that can capture, and a new list whenever a device comes or goes.
    public func deviceUpdates() -> ALSACapturer.DeviceUpdates {
        let system = system
        return ALSACapturer.DeviceUpdates { system.devices() }
    }

    /// Opens the device and begins to capture.
    ///
    /// - Parameter options: The device and the preferred format. The device may have another format.
    /// - Throws: `deviceNotFound`, `deviceUnavailable` or `permissionDenied` if the device can't be opened;
    ///   `invalidInput` for a name that is not trusted; `unsupportedFormat` if no format fits; `timedOut` if the device
    ///   takes too long; `alreadyRunning` while a take runs.
    public func start(_ options: CaptureOptions) async throws(DictationError) -> CaptureStream {
        let preferred = try options.preferredFormat.validated()
        let name = options.device ?? "default"
        try await checkTrust(in: name)
        let take = try await gate.start { () async throws(DictationError) in
            let take = ALSATake(
                system, device: name, preferring: preferred, settings: settings, warm: warm, runtime: runtime)
            try await take.begin()
            return take
        }
        return take.stream
    }

    /// Throws if a name is neither plain nor trusted nor listed. Compares the bytes of names, as ALSA does.
    private func checkTrust(in name: AudioDevice.ID) async throws(DictationError) {
        let bytes = Array(name.utf8)
        guard !PlainDeviceName.isPlain(name), !trustedDevices.contains(bytes) else { return }
        let listed = try await devices().map(\.id)
        guard !listed.contains(where: { $0.utf8.elementsEqual(bytes) }) else { return }
        throw DictationError(
            .invalidInput,
            "The device “\(name)” was not opened: a name with such arguments can make ALSA run commands.",
            recovery: (listed.isEmpty ? "" : "Choose one of: \(listed.joined(separator: ", ")). ")
                + "If you trust this name, add it to ALSACapturer(trustedDevices:).")
    }

    /// Stops capturing and ends the stream.
    ///
    /// - Parameter mode: `.warm` keeps the device open for a while, so that the next start is fast. `.full` closes it.
    public func stop(_ mode: CaptureOptions.StopMode) async {
        warm.isWanted = mode == .warm
        await gate.stop()
        if mode == .full { warm.close() }
    }
}
#else
public import DictationCore

/// Captures from a microphone through ALSA.
@available(*, unavailable, message: "Enable the “ALSA” trait of swift-dictation.")
public final class ALSACapturer: AudioCapturer {
    /// Makes a capturer, in a build with the trait.
    public init(lingering: Duration = .seconds(30), trustedDevices: [AudioDevice.ID] = []) {}

    // The protocol's requirements are here, so that every use of the type is an error that names the trait.
    /// Unavailable in this build.
    public var pacing: CaptureStream.Pacing { .live }
    /// Unavailable in this build.
    public func start(_ options: CaptureOptions) async throws(DictationError) -> CaptureStream {
        throw .notBuilt("ALSA")
    }
    /// Unavailable in this build.
    public func stop(_ mode: CaptureOptions.StopMode) async {}
}
#endif

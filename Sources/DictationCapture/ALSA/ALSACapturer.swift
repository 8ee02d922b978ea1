#if ALSA
public import DictationCore
import Synchronization

/// Captures from a microphone through ALSA, which PulseAudio and PipeWire stand behind on a desktop.
///
/// It takes the format that the device has, survives its being unplugged, suspended or run over, and accounts for
/// everything that was lost. Its thread is a real one, also in `VirtualTime`; use `ScriptedCapturer` there.
public final class ALSACapturer: AudioCapturer {
    /// Audio comes by itself.
    public var pacing: CapturePacing { .live }
    private let system: any PCMSystem
    private let settings: CaptureLoop.Settings
    private let trustedDevices: Set<[UInt8]>
    private let warm: WarmDevice
    private let runtime = DictationRuntime.current
    private let gate: CaptureGate<ALSATake>

    /// Makes a capturer.
    ///
    /// It opens the devices that ALSA lists and plain names such as `hw:1,0`. ALSA's plugins can run commands and write
    /// files that a name tells them, so any other name is refused unless it is trusted here:
    ///
    ///     let capturer = ALSACapturer(trustedDevices: ["dsnoop:{CARD PCH DEV 0}"])
    ///
    /// - Parameters:
    ///   - lingering: How long a device that was stopped warm stays open.
    ///   - trustedDevices: Further names to open as they are. Never fill it from what someone else can write.
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

    /// Whether the default device may be opened; where there is none, nothing is refused.
    public var authorization: CaptureAuthorization {
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

    /// The devices that can capture, the default one first. The identifiers are ALSA's names.
    ///
    /// Of what ALSA lists on every machine, the converters for other devices, JACK and OSS are left out, and a sound
    /// server's own name is there while the server runs.
    public func devices() async throws(DictationError) -> [AudioDevice] {
        let system = system
        return try await BlockingWork("capture-list", runtime: .system).run { () throws(DictationError) in
            system.devices()
        }
    }

    /// The devices that can capture, and again whenever one comes or goes.
    public var deviceUpdates: AudioDeviceUpdates {
        let system = system
        return AudioDeviceUpdates { system.devices() }
    }

    /// Opens the device and begins to capture.
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

    /// Names are compared by their bytes, as ALSA reads them.
    private func checkTrust(in name: AudioDevice.ID) async throws(DictationError) {
        let bytes = Array(name.utf8)
        guard !PlainDeviceName.isPlain(name), !trustedDevices.contains(bytes) else { return }
        let listed = try await devices().map(\.id)
        guard !listed.contains(where: { $0.utf8.elementsEqual(bytes) }) else { return }
        throw DictationError(
            .invalidInput,
            "The device “\(name)” was not opened: a name with such arguments can make ALSA run commands.",
            recovery: "Choose one of: \(listed.joined(separator: ", ")). If you know what it does, name it in "
                + "ALSACapturer(trustedDevices:).")
    }

    /// Stops capturing. A warm stop leaves the device open for a while.
    public func stop(_ mode: CaptureStopMode) async {
        warm.isWanted = mode == .warm
        await gate.stop()
        if mode == .full { warm.close() }
    }
}
#else
/// Captures from a microphone through ALSA.
@available(*, unavailable, message: "Enable the 'ALSA' trait")
public final class ALSACapturer: Sendable {}
#endif

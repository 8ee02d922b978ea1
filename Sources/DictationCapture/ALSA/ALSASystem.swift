#if ALSA
import CALSA
import DictationCore
import DictationSystem

/// The machine's own capture devices.
struct ALSASystem: PCMSystem {
    /// The path of libasound's configuration, or `nil` for the system's configuration.
    private let configuration: String?

    init(configuration: String? = nil) {
        self.configuration = configuration
        _ = Self.isQuiet
    }

    /// Turns off libasound's messages, once for the process.
    private static let isQuiet: Bool = {
        calsa_be_quiet()
        return true
    }()

    var now: Duration {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    func rest(_ duration: Duration, wake: Waker) { wake.rest(duration) }

    func open(_ device: String, preferring format: AudioFormat, wake: Waker) throws(DictationError)
        -> any PCM
    {
        let handle = try open(device)
        return try ALSAPCM(handle, device: device, preferring: format, wake: wake)
    }

    func tryOpening(_ device: String) throws(DictationError) { snd_pcm_close(try open(device)) }

    private func open(_ device: String) throws(DictationError) -> OpaquePointer {
        // The configuration is read each time. libasound's cached copy lacks a sound server that has started since.
        var top: OpaquePointer?
        var files: OpaquePointer?
        var code = snd_config_update_r(&top, &files, configuration)
        defer {
            if let top { snd_config_delete(top) }
            if let files { snd_config_update_free(files) }
        }
        var handle: OpaquePointer?
        if code >= 0 {
            code = snd_pcm_open_lconf(&handle, device, SND_PCM_STREAM_CAPTURE, Int32(SND_PCM_NONBLOCK), top)
        }
        guard code >= 0, let handle else { throw openError(device, Int(code)) }
        return handle
    }

    func devices() -> [AudioDevice] {
        var hints: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
        guard snd_device_name_hint(-1, "pcm", &hints) >= 0, let hints else { return [] }
        defer { snd_device_name_free_hint(hints) }
        var descriptions: [String: String] = [:]
        var names: [String] = []
        var next = hints
        while let hint = next.pointee {
            next += 1
            guard let name = text(hint, "NAME"), text(hint, "IOID") != "Output" else { continue }
            names.append(name)
            descriptions[name] = text(hint, "DESC")?.split(separator: "\n").joined(separator: ", ")
        }
        return MicrophoneNames.among(names).map { name in
            AudioDevice(id: name, name: (descriptions[name] ?? name).visible, isDefault: name == "default")
        }
    }

    private func text(_ hint: UnsafeMutableRawPointer, _ key: String) -> String? {
        guard let text = snd_device_name_get_hint(hint, key) else { return nil }
        defer { free(text) }
        return String(cString: text)
    }

    private func openError(_ device: String, _ code: Int) -> DictationError {
        switch Int32(clamping: -code) {
        case EACCES, EPERM:
            return DictationError(
                .permissionDenied, "The user may not open the device “\(device)”.",
                recovery: "Add the user to the group “audio” and log in again.", underlying: .alsa(code))
        case ENOENT, ENODEV, ENXIO, EINVAL:
            // The device itself may be listed, although it can't be opened.
            let names = devices().map(\.id).filter { $0 != device }.joined(separator: ", ")
            return DictationError(
                .deviceNotFound, "There is no capture device “\(device)”.",
                recovery: names.isEmpty
                    ? "Plug a microphone in, or start the sound server." : "Choose one of: \(names).",
                underlying: .alsa(code))
        case EBUSY:
            return DictationError(
                .deviceUnavailable, "The device “\(device)” is in use by another program.",
                recovery: "Use “default”, which programs can share, or end the other program.",
                underlying: .alsa(code))
        default:
            return DictationError(
                .deviceUnavailable, "The device “\(device)” can't be opened now.",
                recovery: "Check that the sound server runs, then try again.", underlying: .alsa(code))
        }
    }
}
#endif

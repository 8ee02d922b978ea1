#if ALSA
import CALSA
import DictationCore
import DictationSystem

/// An open and configured capture device of libasound.
final class ALSAPCM: PCM {
    let format: AudioFormat
    let periodFrames: Int
    let route: String
    private let handle: OpaquePointer
    private var wake: Waker
    private var descriptors: [pollfd]
    private var isClosed = false

    /// Configures an open device. Closes the device if that fails.
    init(_ handle: OpaquePointer, device: String, preferring preferred: AudioFormat, wake: Waker)
        throws(DictationError)
    {
        do throws(DictationError) {
            (format, periodFrames) = try Self.negotiate(handle, device, preferred)
        } catch {
            snd_pcm_close(handle)
            throw error
        }
        self.handle = handle
        self.wake = wake
        route = Self.route(handle)
        let count = max(0, Int(snd_pcm_poll_descriptors_count(handle)))
        descriptors = [pollfd](repeating: pollfd(), count: count + 1)
        snd_pcm_poll_descriptors(handle, &descriptors, UInt32(count))
    }

    deinit { close() }

    func listen(to wake: Waker) { self.wake = wake }

    func start() -> Int {
        if !isPrepared {
            let code = snd_pcm_prepare(handle)
            guard code >= 0 else { return Int(code) }
        }
        return Int(snd_pcm_start(handle))
    }

    func wait(_ limit: Duration) -> PCMReadiness {
        let count = descriptors.count - 1
        descriptors[count] = wake.wait
        let milliseconds = Int32(clamping: max(0, limit.nanoseconds / 1_000_000))
        let answer = poll(&descriptors, nfds_t(descriptors.count), milliseconds)
        if wake.isRaised { return .woken }
        guard answer > 0 else { return .timedOut }
        var events: UInt16 = 0
        let code = snd_pcm_poll_descriptors_revents(handle, &descriptors, UInt32(count), &events)
        // If this call failed, the next read reports the error.
        return code < 0 || events != 0 ? .ready : .unready
    }

    func read(into bytes: UnsafeMutableRawBufferPointer) -> Int {
        guard let base = bytes.baseAddress else { return 0 }
        return snd_pcm_readi(handle, base, snd_pcm_uframes_t(bytes.count / max(1, format.bytesPerFrame)))
    }

    func available() -> Int { snd_pcm_avail_update(handle) }

    func recover(_ code: Int) -> Int { Int(snd_pcm_recover(handle, Int32(clamping: code), 1)) }

    func resume() -> Int { Int(snd_pcm_resume(handle)) }

    var isPrepared: Bool { snd_pcm_state(handle) == SND_PCM_STATE_PREPARED }

    func halt() { snd_pcm_drop(handle) }

    func close() {
        guard !isClosed else { return }
        isClosed = true
        snd_pcm_close(handle)
    }

    private static func route(_ handle: OpaquePointer) -> String {
        var info: OpaquePointer?
        guard snd_pcm_info_malloc(&info) >= 0, let info else { return "" }
        defer { snd_pcm_info_free(info) }
        guard snd_pcm_info(handle, info) >= 0 else { return "" }
        let name = snd_pcm_info_get_name(info).map { String(cString: $0) } ?? ""
        return "\(snd_pcm_info_get_card(info)):\(name)"
    }

    // MARK: Negotiation

    /// Returns what to try instead of a device that can't be configured. Behind “default” is usually a sound server.
    private static func advice(_ device: String) -> String {
        device == "default"
            ? "Connect a microphone, and check that the sound server runs and has an input."
            : "Use “default” or a “plughw:” device."
    }

    private static let sampleTypes: [(snd_pcm_format_t, AudioFormat.SampleType)] = [
        (SND_PCM_FORMAT_S16_LE, .int16), (SND_PCM_FORMAT_S32_LE, .int32), (SND_PCM_FORMAT_FLOAT_LE, .float32),
        (SND_PCM_FORMAT_S24_3LE, .int24),
    ]

    private static func negotiate(_ handle: OpaquePointer, _ device: String, _ preferred: AudioFormat)
        throws(DictationError) -> (AudioFormat, periodFrames: Int)
    {
        func check(_ code: Int32, _ what: String) throws(DictationError) {
            guard code < 0 else { return }
            throw DictationError(
                .unsupportedFormat, "The device “\(device)” can't be configured: \(what).",
                recovery: advice(device), underlying: .alsa(Int(code)))
        }
        var hardware: OpaquePointer?
        var software: OpaquePointer?
        try check(snd_pcm_hw_params_malloc(&hardware), "there is no memory")
        defer { snd_pcm_hw_params_free(hardware) }
        try check(snd_pcm_sw_params_malloc(&software), "there is no memory")
        defer { snd_pcm_sw_params_free(software) }

        try check(snd_pcm_hw_params_any(handle, hardware), "it has no configuration")
        try check(
            snd_pcm_hw_params_set_access(handle, hardware, SND_PCM_ACCESS_RW_INTERLEAVED),
            "it has no interleaved frames")
        let types = sampleTypes.filter { snd_pcm_hw_params_test_format(handle, hardware, $0.0) == 0 }
        guard let type = types.first else {
            throw DictationError(
                .unsupportedFormat, "The device “\(device)” has no supported sample type.",
                recovery: advice(device))
        }
        try check(snd_pcm_hw_params_set_format(handle, hardware, type.0), "its sample type is refused")
        var channels = UInt32(clamping: max(1, preferred.channelCount))
        try check(snd_pcm_hw_params_set_channels_near(handle, hardware, &channels), "its channels are refused")
        var rate = UInt32(clamping: preferred.sampleRate)
        try check(snd_pcm_hw_params_set_rate_near(handle, hardware, &rate, nil), "its rate is refused")
        // The period is set before the buffer. Set after it, the period often becomes half of the buffer.
        var period: UInt32 = 20_000
        try check(snd_pcm_hw_params_set_period_time_near(handle, hardware, &period, nil), "its period is refused")
        var buffer: UInt32 = 500_000
        try check(snd_pcm_hw_params_set_buffer_time_near(handle, hardware, &buffer, nil), "its buffer is refused")
        try check(snd_pcm_hw_params(handle, hardware), "its parameters are refused")

        var periodFrames: snd_pcm_uframes_t = 0
        try check(snd_pcm_hw_params_get_period_size(hardware, &periodFrames, nil), "its period is unknown")
        try check(snd_pcm_hw_params_get_rate(hardware, &rate, nil), "its rate is unknown")
        try check(snd_pcm_hw_params_get_channels(hardware, &channels), "its channels are unknown")
        try check(snd_pcm_sw_params_current(handle, software), "it has no software parameters")
        try check(snd_pcm_sw_params_set_avail_min(handle, software, periodFrames), "avail_min is refused")
        try check(snd_pcm_sw_params_set_start_threshold(handle, software, 1), "its start threshold is refused")
        try check(snd_pcm_sw_params(handle, software), "its software parameters are refused")
        let format = AudioFormat(
            sampleRate: Int(rate), channelCount: Int(channels), sampleType: type.1)
        return (try format.validated(), min(1 << 16, max(1, Int(clamping: periodFrames))))
    }
}
#endif

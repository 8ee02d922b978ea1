import DictationCapture
import DictationCore

/// What a microphone sent in a short time.
enum Hearing: Sendable, Hashable, CustomStringConvertible {
    case noAudio
    case onlyZeros
    case tooQuiet(AudioLevel)
    case sound(AudioLevel)

    /// Judges the loudest level; `nil` means that no audio arrived.
    init(loudest level: AudioLevel?) {
        guard let level else {
            self = .noAudio
            return
        }
        self =
            level.peak == .silence
            ? .onlyZeros : level.rms >= DictationSession.InputThresholds().speech ? .sound(level) : .tooQuiet(level)
    }

    /// Whether the microphone works, however quiet the room is.
    var isGood: Bool {
        switch self {
        case .noAudio, .onlyZeros: false
        case .tooQuiet, .sound: true
        }
    }

    var description: String {
        switch self {
        case .noAudio: "opens, but no sound arrives.\n      → Plug it in again, or choose another with --device."
        case .onlyZeros: "sends only zeros.\n      → Unmute it, or choose another with --device."
        case .sound(let level): "works, \(level.rms) at the loudest"
        case .tooQuiet(let level):
            "works, \(level.rms) at the loudest, which is too quiet for speech: speak, or raise the volume"
        }
    }
}

extension Microphone {
    /// Listens for a time, and calls the closure with each level.
    ///
    /// - Throws: The error of a microphone that can't be opened or that goes away.
    func listen(
        for time: Duration, onLevel: @escaping @Sendable (AudioLevel, Duration) -> Void = { _, _ in }
    ) async throws(DictationError) -> Hearing {
        if case .denied(let advice) = await capturer.authorization {
            throw DictationError(.permissionDenied, "Recording is not permitted.", recovery: advice)
        }
        let stream = try await capturer.start(CaptureOptions(device: device))
        let level = await DictationRuntime.current.within(time + .seconds(2)) {
            () -> Result<AudioLevel?, DictationError> in
            var loudest: AudioLevel?
            var events = stream.makeAsyncIterator()
            do throws(DictationError) {
                while let event = try await events.next() {
                    guard case .buffer(let buffer) = event else { continue }
                    let level = AudioLevel(of: buffer)
                    onLevel(level, buffer.end)
                    if level.rms >= loudest?.rms ?? .silence { loudest = level }
                    if buffer.end >= time { break }
                }
                return .success(loudest)
            } catch {
                return .failure(error)
            }
        }
        await capturer.stop(.full)
        return Hearing(loudest: try level?.get())
    }
}

import DictationCore
import DictationSystem
import Synchronization

/// The device that stays open for a while after a warm stop.
final class WarmDevice: Sendable {
    private struct Kept {
        let device: String
        let format: AudioFormat
        let pcm: any PCM
        let number: Int
    }

    private struct State {
        var isWanted = false
        var count = 0
    }

    private let kept = Handover<Kept>()
    private let state = Mutex(State())
    private let lingering: Duration
    private let runtime = DictationRuntime.current

    init(lingering: Duration) { self.lingering = lingering }

    deinit { close() }

    /// Whether to keep the next device that stops.
    var isWanted: Bool {
        get { state.withLock { $0.isWanted } }
        set { state.withLock { $0.isWanted = newValue } }
    }

    /// Keeps a device open for a while, or closes it if it is not wanted.
    func keep(_ pcm: sending any PCM, _ device: String, _ format: AudioFormat) {
        let number = state.withLock { state -> Int? in
            guard state.isWanted, lingering > .zero else { return nil }
            state.count += 1
            return state.count
        }
        guard let number else { return pcm.close() }
        kept.put(Kept(device: device, format: format, pcm: pcm, number: number))
        runtime.task { [weak self, runtime, lingering] in
            try? await runtime.sleep(lingering)
            self?.close(number)
        }
    }

    /// Returns the open device if it has this name and format. Otherwise closes it and returns `nil`.
    func take(_ device: String, _ format: AudioFormat, wake: Waker) -> sending (any PCM)? {
        guard let kept = kept.take() else { return nil }
        guard kept.device == device, kept.format == format else {
            kept.pcm.close()
            return nil
        }
        kept.pcm.listen(to: wake)
        return kept.pcm
    }

    /// Closes the device. With a number, closes it only if it was kept under that number.
    func close(_ number: Int? = nil) {
        kept.take { number == nil || $0.number == number }?.pcm.close()
    }
}

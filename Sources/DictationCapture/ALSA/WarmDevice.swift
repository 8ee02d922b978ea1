import DictationCore
import Synchronization

/// The device that stays open for a while after a warm stop.
final class WarmDevice: Sendable {
    private struct Kept {
        let device: String
        let format: AudioFormat
        let pcm: Handover
        let number: Int
    }

    private struct State {
        var kept: Kept?
        var isWanted = false
        var count = 0
    }

    private struct Handover: @unchecked Sendable {  // Only one place uses the device at a time: a loop or this class.
        let pcm: any PCM
    }

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
    func keep(_ pcm: any PCM, _ device: String, _ format: AudioFormat) {
        let handover = Handover(pcm: pcm)
        let number = state.withLock { state -> Int? in
            guard state.isWanted, lingering > .zero else { return nil }
            state.count += 1
            state.kept = Kept(device: device, format: format, pcm: handover, number: state.count)
            return state.count
        }
        guard let number else {
            pcm.close()
            return
        }
        runtime.task { [weak self, runtime, lingering] in
            try? await runtime.sleep(lingering)
            self?.close(number)
        }
    }

    /// Returns the open device if it has this name and format. Otherwise closes it and returns `nil`.
    func take(_ device: String, _ format: AudioFormat, wake: WakeDescriptor) -> (any PCM)? {
        guard
            let kept = state.withLock({ state -> Kept? in
                defer { state.kept = nil }
                return state.kept
            })
        else { return nil }
        guard kept.device == device, kept.format == format else {
            kept.pcm.pcm.close()
            return nil
        }
        kept.pcm.pcm.listen(to: wake)
        return kept.pcm.pcm
    }

    /// Closes the device. With a number, closes it only if it was kept under that number.
    func close(_ number: Int? = nil) {
        let kept = state.withLock { state -> Kept? in
            guard number == nil || state.kept?.number == number else { return nil }
            defer { state.kept = nil }
            return state.kept
        }
        kept?.pcm.pcm.close()
    }
}

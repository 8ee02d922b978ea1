/// The audio that waits for the engine, bounded by its length.
final class AudioBacklog: Sendable {
    private struct State: Sendable {
        var buffers = FIFO<AudioBuffer>()
        var waiting: Duration = .zero
        var isFinished = false

        func hasRoom(for duration: Duration, of capacity: Duration) -> Bool {
            buffers.isEmpty || waiting + duration <= capacity
        }
    }

    private enum Next: Sendable {
        case buffer(AudioBuffer)
        case end
    }

    private let capacity: Duration
    private let state = Watched(State())

    init(capacity: Duration) { self.capacity = capacity }

    /// Puts a buffer at the end; `false` when there is no room for it or the backlog is finished.
    func offer(_ buffer: AudioBuffer) -> Bool {
        state.change { state in
            guard !state.isFinished, state.hasRoom(for: buffer.duration, of: capacity) else { return false }
            state.buffers.append(buffer)
            state.waiting += buffer.duration
            return true
        }
    }

    /// Waits until there is room for this buffer, or the backlog is finished.
    func room(for buffer: AudioBuffer) async {
        let duration = buffer.duration
        _ = await state.first { [capacity] in
            $0.isFinished || $0.hasRoom(for: duration, of: capacity) ? true : nil
        }
    }

    /// No more comes; what waits can still be taken.
    func finish() { state.change { $0.isFinished = true } }

    /// No more comes, and what waits is taken away.
    func takeRest() -> [AudioBuffer] {
        state.change { state in
            state.isFinished = true
            var rest: [AudioBuffer] = []
            while let buffer = state.buffers.popFirst() { rest.append(buffer) }
            return rest
        }
    }

    /// The next buffer; `nil` at the end, or when the task is cancelled.
    func next() async -> AudioBuffer? {
        while true {
            let next = state.change { state -> Next? in
                guard let buffer = state.buffers.popFirst() else { return state.isFinished ? .end : nil }
                state.waiting -= buffer.duration
                return .buffer(buffer)
            }
            switch next {
            case .buffer(let buffer): return buffer
            case .end: return nil
            case nil:
                if Task.isCancelled { return nil }
                _ = await state.first { !$0.buffers.isEmpty || $0.isFinished ? true : nil }
            }
        }
    }
}

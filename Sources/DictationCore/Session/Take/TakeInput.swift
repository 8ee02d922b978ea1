/// The audio that waits for the engine, bounded by its length; the engine pulls it from here, converted.
final class TakeInput: Sendable {
    private struct State: Sendable {
        var pieces = FIFO<AudioPiece>()
        var waiting: Duration = .zero
        /// Where the audio ends that the engine was given.
        var given: Duration = .zero
        var isFinished = false
        var isClosed = false

        func hasRoom(for duration: Duration, of capacity: Duration) -> Bool {
            waiting <= .zero || waiting + duration <= capacity
        }
    }

    private let capacity: Duration
    private let state = Watched(State())

    init(capacity: Duration) { self.capacity = capacity }

    /// Puts a buffer at the end; `false` when there is no room for it, or no more is taken.
    func offer(_ buffer: AudioBuffer) -> Bool {
        state.change { state in
            guard !state.isFinished, state.hasRoom(for: buffer.duration, of: capacity) else { return false }
            state.pieces.append(.audio(buffer))
            state.waiting += buffer.duration
            return true
        }
    }

    /// Waits until there is room for this buffer, or no more is taken.
    func room(for buffer: AudioBuffer) async {
        let duration = buffer.duration
        _ = await state.first { [capacity] in
            $0.isFinished || $0.hasRoom(for: duration, of: capacity) ? true : nil
        }
    }

    /// Marks the end of a phrase: the converter gives what it holds, and the engine is asked to make it final.
    func finishPhrase() { state.change { if !$0.isFinished { $0.pieces.append(.phraseEnd) } } }

    var hasEnded: Bool { state.value.isFinished }

    /// Waits until no more is taken.
    func ended() async { _ = await state.first { $0.isFinished ? true : nil } }

    /// Takes no more; what waits can still be pulled.
    func finish() { state.change { $0.isFinished = true } }

    /// Takes and gives no more; answers where the audio ends that the engine was given.
    func close() -> Duration {
        state.change { state in
            (state.isFinished, state.isClosed) = (true, true)
            state.pieces.removeAll()
            return state.given
        }
    }

    /// Notes a buffer that the engine is about to get; `false` when it may not have it any more.
    func give(_ buffer: AudioBuffer) -> Bool {
        state.change { state in
            if !state.isClosed { state.given = max(state.given, buffer.end) }
            return !state.isClosed
        }
    }

    /// The next piece; `nil` at the end, or when the task is cancelled.
    func next() async -> AudioPiece? {
        while true {
            let next = state.change { state -> AudioPiece?? in
                guard let piece = state.pieces.popFirst() else { return state.isFinished ? .some(nil) : nil }
                if case .audio(let buffer) = piece { state.waiting -= buffer.duration }
                return piece
            }
            if let next { return next }
            if Task.isCancelled { return nil }
            _ = await state.first { !$0.pieces.isEmpty || $0.isFinished ? true : nil }
        }
    }
}

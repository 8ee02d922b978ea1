/// A queue of audio for the engine, bounded by the length of the audio. The engine pulls the audio through a converter.
final class TakeInput: Sendable {
    private struct State: Sendable {
        var pieces = FIFO<AudioPiece>()
        var waiting: Duration = .zero
        /// The end of the audio that the engine was given.
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

    /// Appends a buffer; `false` when the queue is full or finished.
    func offer(_ buffer: AudioBuffer) -> Bool {
        state.change { state in
            guard !state.isFinished, state.hasRoom(for: buffer.duration, of: capacity) else { return false }
            state.pieces.append(.audio(buffer))
            state.waiting += buffer.duration
            return true
        }
    }

    /// Waits until there is room for this buffer or the queue is finished.
    func room(for buffer: AudioBuffer) async {
        let duration = buffer.duration
        _ = await state.first { [capacity] in
            $0.isFinished || $0.hasRoom(for: duration, of: capacity) ? true : nil
        }
    }

    /// Marks the end of a phrase: the converter returns the audio that it holds, and the engine makes the phrase final.
    func finishPhrase() { state.change { if !$0.isFinished { $0.pieces.append(.phraseEnd) } } }

    var hasEnded: Bool { state.value.isFinished }

    /// Waits until the queue is finished.
    func ended() async { _ = await state.first { $0.isFinished ? true : nil } }

    /// Accepts no more audio. The queued audio can still be pulled.
    func finish() { state.change { $0.isFinished = true } }

    /// Finishes the queue and discards the queued audio. Returns the end of the audio that the engine was given.
    func close() -> Duration {
        state.change { state in
            (state.isFinished, state.isClosed) = (true, true)
            state.pieces.removeAll()
            return state.given
        }
    }

    /// Notes that the engine is about to get a buffer; `false` when the queue is closed and the engine must not get it.
    func give(_ buffer: AudioBuffer) -> Bool {
        state.change { state in
            if !state.isClosed { state.given = max(state.given, buffer.end) }
            return !state.isClosed
        }
    }

    /// Returns the next piece; `nil` at the end, or when the task is cancelled.
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

#if Remote
import DictationCore
import DictationEngines

/// The pieces of a session that are on their way to a server. Several are recognized at once; their texts come in order.
///
/// Releasing it cancels the requests.
final class PieceQueue: Sendable {
    /// What is known about a piece once its samples are no longer needed.
    private struct Answered: Sendable {
        var result: SpeechResult?
        var overlapStart: Duration?
        var ending: PieceEnding
        var end: Duration

        init(_ piece: PauseCutter.Piece, _ result: SpeechResult?) {
            self.result = result
            overlapStart = piece.overlap > .zero ? piece.start : nil
            (ending, end) = (piece.ending, piece.end)
        }
    }

    private struct State: Sendable {
        var joiner: PieceJoiner
        /// The number of pieces that were put, and of those whose text was given out.
        var put = 0
        var delivered = 0
        /// The answers that wait for those before them.
        var answers: [Int: Answered] = [:]
        var tasks: [Int: Task<Void, Never>] = [:]
        var failure: DictationError?
    }

    private let server: any PieceServer
    private let options: RecognitionOptions
    private let limit: Int
    private let runtime: DictationRuntime
    private let state: Watched<State>

    /// - Parameters:
    ///   - server: The server.
    ///   - options: The options of the session.
    ///   - limit: The greatest number of pieces that are recognized at once.
    ///   - runtime: The source of time and threads.
    init(
        _ server: any PieceServer, _ options: RecognitionOptions, limit: Int, runtime: DictationRuntime
    ) {
        self.server = server
        self.options = options
        self.limit = limit
        self.runtime = runtime
        state = Watched(State(joiner: PieceJoiner(isLive: true)))
    }

    deinit { for task in state.value.tasks.values { task.cancel() } }

    /// Sends a piece, once there is room.
    func put(_ piece: PauseCutter.Piece, into results: ResultSink) async throws(DictationError) {
        let limit = limit
        try await wait { $0.put - $0.delivered < limit }
        let delivery = Delivery(state: state, wordTimes: options.wordTimes, results: results)
        let (server, options, runtime) = (server, options, runtime)
        state.change { state in
            let number = state.put
            state.put += 1
            state.tasks[number] = runtime.task {
                await delivery.recognize(piece, number, server, options)
            }
        }
    }

    /// Waits until all pieces are recognized, and makes their text final.
    func drain(into results: ResultSink) async throws(DictationError) {
        try await wait { $0.delivered == $0.put }
        state.change { $0.joiner.flush().forEach(results.emit) }
    }

    private func wait(until isDone: @escaping @Sendable (State) -> Bool) async throws(DictationError) {
        let found = await state.first { state -> Result<Void, DictationError>? in
            if let failure = state.failure { return .failure(failure) }
            return isDone(state) ? .success(()) : nil
        }
        guard let found else { throw DictationError(.cancelled, "The call was cancelled.") }
        try found.get()
    }

    /// Brings the answers in order. It does not hold the queue, so that releasing the queue ends the work.
    private struct Delivery: Sendable {
        let state: Watched<State>
        let wordTimes: Bool
        let results: ResultSink

        func recognize(
            _ piece: PauseCutter.Piece, _ number: Int, _ server: any PieceServer, _ options: RecognitionOptions
        ) async {
            var answer = PieceAnswer(text: "")
            do throws(DictationError) {
                if piece.speech != nil {
                    answer = try await server.recognize(piece, options) { show($0, of: piece, number) }
                }
            } catch {
                return fail(error)
            }
            let answered = Answered(piece, answer.result(for: piece, wordTimes: wordTimes))
            state.change { state in
                state.answers[number] = answered
                state.tasks[number] = nil
                while let next = state.answers.removeValue(forKey: state.delivered) {
                    state.delivered += 1
                    deliver(next, &state.joiner)
                }
            }
        }

        private func deliver(_ answered: Answered, _ joiner: inout PieceJoiner) {
            guard !wordTimes else {
                // Pieces whose words have times don't overlap. Each is a result of its own.
                if let result = answered.result { results.emit(.final(result)) }
                return results.emit(.finalized(through: answered.end))
            }
            let finals = joiner.add(answered.result, overlapStart: answered.overlapStart, answered.ending)
            for result in finals { results.emit(.final(result)) }
            if !joiner.isWaiting { results.emit(.finalized(through: answered.end)) }
            // It is final later, but a session that runs out of time keeps it.
            if let waiting = joiner.waiting { results.emit(.volatile(waiting)) }
        }

        /// Shows the text so far of the piece whose turn it is.
        private func show(_ text: String, of piece: PauseCutter.Piece, _ number: Int) {
            let answered = Answered(piece, PieceAnswer(text: text).result(for: piece, wordTimes: false))
            state.change { state in
                guard state.delivered == number, state.failure == nil else { return }
                let preview =
                    wordTimes
                    ? answered.result
                    : state.joiner.preview(answered.result, overlapStart: answered.overlapStart)
                if let preview { results.emit(.volatile(preview)) }
            }
        }

        private func fail(_ error: DictationError) {
            let isFirst = state.change { state in
                defer { state.failure = state.failure ?? error }
                return state.failure == nil
            }
            if isFirst { results.fail(error) }
        }
    }
}
#endif

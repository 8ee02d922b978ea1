import Synchronization

/// The work of a ``DecoderSession``. All commands go through one mailbox to the one task that owns the decoder.
final class DecoderWork: Sendable {
    enum Outcome: Sendable {
        case complete
        case incomplete
        case cancelled
        case failed(DictationError)
    }

    private enum Command: Sendable {
        case audio(AudioBuffer)
        case inputEnded(DictationError?)
        case finalize(FinalityRequest)
    }

    private struct FinalityRequest: Sendable {
        let time: Duration?
        let isDone = Watched(false)

        /// Whether enough audio was fed to answer the request. A request without a time is answered when the decoder's
        /// task takes it from the mailbox.
        func isReached(by fed: FedAudio) -> Bool { time.map { fed.reaches($0) } ?? false }
    }

    private struct State {
        var ledger: ResultLedger
        /// The end of the audio that the decoder was given.
        var end: Duration = .zero
        var hasInput = false
        var outcome: Outcome?
        var requests: [FinalityRequest] = []
    }

    let results: RecognitionResults
    let ended = Watched(false)
    private let audioFormat: AudioFormat
    private let onEnd: @Sendable () -> Void
    private let continuation: RecognitionResults.Continuation
    private let commands = Mailbox<Command, Never>(capacity: 1)
    private let state: Mutex<State>
    private let tasks = Mutex<[Task<Void, Never>]>([])

    init(audioFormat: AudioFormat, showsVolatile: Bool, onEnd: @escaping @Sendable () -> Void) {
        self.audioFormat = audioFormat
        self.onEnd = onEnd
        (results, continuation) = RecognitionResults.makeStream()
        state = Mutex(State(ledger: ResultLedger(showsVolatile: showsVolatile)))
    }

    var hasInput: Bool { state.withLock { $0.hasInput } }
    private var hasEnded: Bool { state.withLock { $0.outcome != nil } }

    /// Adds a task to cancel when the session ends.
    func adopt(_ task: Task<Void, Never>) {
        tasks.withLock { $0.append(task) }
        if hasEnded { task.cancel() }
    }

    /// Records that the session has its input. Throws on a second call and after the end.
    func begin() throws(DictationError) {
        let refusal = state.withLock { state -> DictationError? in
            if state.outcome != nil {
                return DictationError(
                    .inputAfterEnd, "The recognition session has ended.", recovery: "Create a new session.")
            }
            if state.hasInput {
                return DictationError(
                    .alreadyRunning, "The recognition session already has its input.",
                    recovery: "Create a session for each input.")
            }
            state.hasInput = true
            return nil
        }
        if let refusal { throw refusal }
    }

    /// Asks the decoder to make results final. The returned value becomes true when they are. Returns `nil` if the
    /// session has ended.
    func requestFinality(through time: Duration?) -> Watched<Bool>? {
        let request = FinalityRequest(time: time)
        let isOpen = state.withLock { state in
            guard state.outcome == nil else { return false }
            state.requests.append(request)
            return true
        }
        guard isOpen else { return nil }
        commands.put(.finalize(request))
        return request.isDone
    }

    /// Returns how the session ended, or `complete` if it goes on. Throws if it was cancelled or failed.
    func completion() throws(DictationError) -> FinalizationOutcome {
        switch state.withLock({ $0.outcome }) {
        case nil, .complete: return .complete
        case .incomplete: return .incomplete
        case .cancelled: throw DictationError(.cancelled, "The recognition session was cancelled.")
        case .failed(let error): throw error
        }
    }

    /// Ends the session: settles volatile results, ends the results and wakes every waiting caller. A second call does
    /// nothing.
    func end(_ outcome: Outcome) {
        let isFirst = state.withLock { state in
            guard state.outcome == nil else { return false }
            state.outcome = outcome
            return true
        }
        guard isFirst else { return }
        onEnd()
        let requests = state.withLock { state in
            switch outcome {
            case .complete, .cancelled:
                state.ledger.revokeVolatiles().forEach(continuation.yield)
                continuation.finish()
            case .incomplete:
                state.ledger.promoteVolatiles().forEach(continuation.yield)
                continuation.finish()
            case .failed(let error):
                state.ledger.promoteVolatiles().forEach(continuation.yield)
                continuation.finish(throwing: error)
            }
            defer { state.requests = [] }
            return state.requests
        }
        _ = commands.discard()
        for request in requests { request.isDone.change { $0 = true } }
        ended.change { $0 = true }
        for task in takeTasks() { task.cancel() }
    }

    private func takeTasks() -> [Task<Void, Never>] {
        tasks.withLock { tasks in
            defer { tasks = [] }
            return tasks
        }
    }

    // MARK: Input

    /// Pulls the input, at most one buffer ahead of the decoder.
    func pump(_ input: AudioInput) async {
        do throws(DictationError) {
            var iterator = input.makeAsyncIterator()
            while await commands.room(), let buffer = try await iterator.next() {
                guard await commands.putWhenRoom(.audio(buffer)) else { return }
            }
            if !Task.isCancelled { commands.put(.inputEnded(nil)) }
        } catch {
            commands.put(.inputEnded(error))
        }
    }

    // MARK: The decoder's task

    /// Runs the decoder until the session ends.
    func run<Decoder: SpeechDecoder & ~Copyable>(_ decoder: consuming Decoder) async {
        do throws(DictationError) {
            var fed = FedAudio(format: audioFormat)
            while let command = await commands.next() {
                switch command {
                case .audio(let buffer):
                    guard !buffer.isEmpty else { continue }
                    try fed.admit(buffer)
                    state.withLock { $0.end = fed.end }
                    await continuation.room()
                    try await decoder.decode(buffer, into: sink)
                    if isRequested(in: fed) { try await finalize(&decoder, fed) }
                case .finalize(let request):
                    // A request without a time asks for all audio before it. All of it was fed: the mailbox is in
                    // order.
                    if fed.reaches(request.time ?? .zero) {
                        try await finalize(&decoder, fed)
                        settle(request)
                    }
                case .inputEnded(let error):
                    try await decoder.finish(into: sink)
                    settle(fed)
                    end(error.map { .failed($0) } ?? .complete)
                }
            }
        } catch {
            end(.failed(error))
        }
    }

    private var sink: ResultSink { ResultSink({ self.admit($0) }, failing: { self.end(.failed($0)) }) }

    private func admit(_ update: SpeechUpdate) {
        state.withLock { state in
            guard state.outcome == nil else { return }
            state.ledger.admit(update.clamped(to: state.end)).forEach(continuation.yield)
        }
    }

    /// Marks one request as done. Other requests keep waiting.
    private func settle(_ request: FinalityRequest) {
        state.withLock { $0.requests.removeAll { $0.isDone === request.isDone } }
        request.isDone.change { $0 = true }
    }

    private func isRequested(in fed: FedAudio) -> Bool {
        state.withLock { $0.requests.contains { $0.isReached(by: fed) } }
    }

    private func finalize<Decoder: SpeechDecoder & ~Copyable>(
        _ decoder: inout Decoder, _ fed: FedAudio
    ) async throws(DictationError) {
        try await decoder.finalize(into: sink)
        settle(fed)
    }

    /// Makes everything through the end of the audio final, and marks the requests for it as done.
    private func settle(_ fed: FedAudio) {
        let time = fed.end
        let done = state.withLock { state -> [FinalityRequest] in
            guard state.outcome == nil else { return [] }
            state.ledger.revokeVolatiles().forEach(continuation.yield)
            state.ledger.admit(.finalized(through: time)).forEach(continuation.yield)
            let done = state.requests.filter { $0.isReached(by: fed) }
            state.requests.removeAll { $0.isReached(by: fed) }
            return done
        }
        for request in done { request.isDone.change { $0 = true } }
    }
}

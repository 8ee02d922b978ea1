/// A `RecognitionSession` around a `SpeechDecoder`: it keeps the contract, the decoder only recognises.
///
/// The decoder is made, used and released in one task on one executor. Input is pulled a buffer at a time; a decoder
/// that does not come back is left behind when the deadline runs out. A session that is let go of is cancelled.
public final class DecoderSession: RecognitionSession {
    private let work: DecoderWork
    private let runtime: DictationRuntime
    private let executor: any TaskExecutor
    private let deadline: Duration

    /// The format that every buffer must have.
    public let audioFormat: AudioFormat
    /// Volatile and final results in order.
    public var results: RecognitionResults { work.results }

    private init(
        audioFormat: AudioFormat, options: RecognitionOptions, runtime: DictationRuntime, executor: any TaskExecutor,
        onEnd: @escaping @Sendable () -> Void
    ) {
        self.audioFormat = audioFormat
        self.runtime = runtime
        self.executor = executor
        deadline = options.finalizationTimeout
        work = DecoderWork(
            audioFormat: audioFormat, showsVolatile: options.volatileResults, onEnd: onEnd)
    }

    deinit { work.end(.cancelled) }

    /// Makes a session around the decoder that a closure makes. The closure and the decoder run on the executor; without
    /// one the session gets a thread of its own. `onEnd` is called once, before anyone who waits for the end hears
    /// of it, also when no decoder could be made; the decoder may still be busy then.
    ///
    /// An engine that is to keep virtual time for any caller, even a detached task, passes the runtime that was current
    /// when the engine was made.
    public static func open<Decoder: SpeechDecoder & ~Copyable>(
        _ name: String, audioFormat: AudioFormat, options: RecognitionOptions, on executor: (any TaskExecutor)? = nil,
        runtime: DictationRuntime = .current, onEnd: @escaping @Sendable () -> Void = {},
        makeDecoder: @escaping @Sendable () async throws(DictationError) -> Decoder
    ) async throws(DictationError) -> DecoderSession {
        let executor = executor ?? runtime.blockingExecutor(name)
        let session = DecoderSession(
            audioFormat: try audioFormat.validated(), options: options, runtime: runtime, executor: executor,
            onEnd: onEnd)
        let opened = Watched<Result<Void, DictationError>?>(nil)
        let work = session.work
        let loop = DictationRuntime.$current.withValue(runtime) {
            Task(executorPreference: executor) {
                do throws(DictationError) {
                    let decoder = try await makeDecoder()
                    opened.change { $0 = .success(()) }
                    await work.run(decoder)
                } catch {
                    opened.change { $0 = .failure(error) }
                }
            }
        }
        work.adopt(loop)
        guard let result = await opened.first({ $0 }) else {
            throw DictationError(.cancelled, "The session was cancelled while it was being made.")
        }
        try result.get()
        return session
    }

    /// Begins to decode the input. It is pulled on the decoder's thread, so that no buffer goes from thread to thread.
    public func start(_ input: AudioInput) throws(DictationError) {
        try work.begin()
        let work = work
        work.adopt(Task(executorPreference: executor) { await work.pump(input) })
    }

    /// Returns when everything up to `time` is final, or the deadline has passed; the session goes on either way.
    public func finalize(through time: Duration?) async throws(DictationError) -> FinalizationOutcome {
        guard let request = work.requestFinality(through: time) else { return try work.completion() }
        guard try await isDone(request) else { return .incomplete }
        return try work.completion()
    }

    /// Makes all input final and ends the results, or returns what there is at the deadline.
    public func finish() async throws(DictationError) -> FinalizationOutcome {
        if !work.hasInput { work.end(.complete) }
        if try await !isDone(work.ended) { work.end(.incomplete) }
        return try work.completion()
    }

    /// Ends at once and drops what is not final.
    public func cancel() async { work.end(.cancelled) }

    /// Waits until something is done; `false` when the deadline comes first.
    private func isDone(_ done: Watched<Bool>) async throws(DictationError) -> Bool {
        if await runtime.within(deadline, { await done.first { $0 ? true : nil } }) != nil { return true }
        if Task.isCancelled { throw .callCancelled }
        return false
    }
}

/// A ``RecognitionSession`` around a ``SpeechDecoder``. The session keeps the promises; the decoder only recognizes.
///
/// One task creates, uses and releases the decoder on one executor. The session pulls one buffer at a time. If the
/// decoder hangs, the session's calls still return at the deadline. Releasing the session cancels it.
public final class DecoderSession: RecognitionSession {
    private let work: DecoderWork
    private let runtime: DictationRuntime
    private let executor: any TaskExecutor
    private let deadline: Duration

    /// The format that every buffer must have.
    public let audioFormat: AudioFormat
    /// The volatile and final results, in order.
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

    /// Opens a session around a new decoder.
    ///
    /// - Parameters:
    ///   - name: The name of the session's thread, if the session starts one.
    ///   - audioFormat: The format that every buffer must have.
    ///   - options: The options. The session itself uses the deadline and the choice of volatile results.
    ///   - executor: The executor that creates and runs the decoder. Without one, the session starts its own thread.
    ///   - runtime: The source of time and threads. Pass the runtime that was current when the engine was created. Then
    ///     the session keeps virtual time even if a detached task opens it.
    ///   - onEnd: Runs once when the session ends, before any waiting caller resumes, even if `makeDecoder` throws. The
    ///     decoder may still be busy at that time.
    ///   - makeDecoder: Creates the decoder.
    /// - Throws: The error of `makeDecoder`, ``DictationError/Code/unsupportedFormat`` for a format that audio can't
    ///   have, or ``DictationError/Code/cancelled`` if the calling task is cancelled first.
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
            throw DictationError(.cancelled, "The session was cancelled before its decoder was ready.")
        }
        try result.get()
        return session
    }

    /// Starts to decode the input. The decoder's thread pulls the input, so buffers don't change threads.
    ///
    /// - Throws: ``DictationError/Code/alreadyRunning`` on a second call, ``DictationError/Code/inputAfterEnd`` after
    ///   the session's end.
    public func start(_ input: AudioInput) throws(DictationError) {
        try work.begin()
        let work = work
        work.adopt(Task(executorPreference: executor) { await work.pump(input) })
    }

    /// Waits until everything up to `time` is final, or until the deadline. The session goes on in both cases.
    public func finalize(through time: Duration?) async throws(DictationError) -> FinalizationOutcome {
        guard let request = work.requestFinality(through: time) else { return try work.completion() }
        guard try await isDone(request) else { return .incomplete }
        return try work.completion()
    }

    /// Waits until all input is final, then ends the results. At the deadline, makes the best text so far final.
    public func finish() async throws(DictationError) -> FinalizationOutcome {
        if !work.hasInput { work.end(.complete) }
        if try await !isDone(work.ended) { work.end(.incomplete) }
        return try work.completion()
    }

    /// Ends the session at once and drops text that is not final.
    public func cancel() async { work.end(.cancelled) }

    /// Waits until `done` is true. Returns `false` if the deadline comes first.
    private func isDone(_ done: Watched<Bool>) async throws(DictationError) -> Bool {
        if await runtime.within(deadline, { await done.first { $0 ? true : nil } }) != nil { return true }
        if Task.isCancelled { throw .callCancelled }
        return false
    }
}

import Synchronization

/// The engine's part of a take: makes a recognition session, feeds it and reads its results.
extension Take {
    func runEngine() async {
        do throws(DictationError) {
            let session = try await openSession()
            guard send(.engineReady(session)), progress.value.outcome == nil else { return await session.cancel() }
            let (input, hub, id) = (input, hub, id)
            // The hub knows the session, which may keep its input.
            try session.start(
                AudioInput(
                    converting: { { () async throws(DictationError) in await input.next() } }, to: session.audioFormat,
                    by: parts.converters,
                    giving: { input.give($0) }, atPhraseEnd: { [weak hub] in _ = hub?.send(.phraseTaken, to: id) }))
            let finishing = finish(session)
            var results = session.results.makeAsyncIterator()
            while let update = try await results.next() { hub.update(id) { ((), $0.apply(update)) } }
            // An engine that ends before its input needs no `finish()`.
            let completion = input.hasEnded ? await finishing.value : .complete
            send(.engineEnded(.success(completion)))
        } catch {
            send(.engineEnded(.failure(error)))
        }
    }

    /// Starts a task that finishes the session once the input has ended.
    private func finish(_ session: any RecognitionSession) -> Task<FinalizationOutcome, Never> {
        runtime.task(priority: .userInitiated) { [input] in
            await input.ended()
            // The results end with the same error, and their reader handles it.
            return (try? await session.finish()) ?? .complete
        }
    }

    /// Makes a recognition session. Retries after transient errors and while the engine is busy.
    private func openSession() async throws(DictationError) -> any RecognitionSession {
        let options = configuration.recognition
        let began = runtime.now()
        let backOff = BackOff(first: configuration.retryDelay, longest: max(configuration.retryDelay, .seconds(1)))
        var failures = 0
        while true {
            let left = configuration.warmUpTimeout - (runtime.now() - began)
            let attempt = SessionAttempt(parts.engine, options)
            guard let result = await attempt.result(within: left, runtime) else {
                throw .warmUpTimedOut(parts.engine.name, configuration.warmUpTimeout)
            }
            failures += 1
            let delay = backOff.delay(afterFailures: failures)
            guard case .failure(let error) = result, error.isTransient || error.code == .alreadyRunning,
                runtime.now() - began + delay < configuration.warmUpTimeout
            else { return try result.get() }
            guard (try? await runtime.sleep(delay)) != nil else { throw .takeCancelled }
        }
    }
}

/// One attempt to make a recognition session. A session that comes after the time limit is cancelled.
private final class SessionAttempt: Sendable {
    private struct State {
        var result: Result<any RecognitionSession, DictationError>?
        var isAbandoned = false
    }

    private let engine: any SpeechEngine
    private let options: RecognitionOptions
    private let state = Mutex(State())

    init(_ engine: any SpeechEngine, _ options: RecognitionOptions) {
        self.engine = engine
        self.options = options
    }

    /// Makes the session and returns the result; `nil` when the attempt takes too long.
    func result(
        within limit: Duration, _ runtime: DictationRuntime
    ) async -> Result<any RecognitionSession, DictationError>? {
        _ = await runtime.within(limit) { await self.make() }
        return state.withLock { state in
            state.isAbandoned = true
            return state.result
        }
    }

    private func make() async {
        let result: Result<any RecognitionSession, DictationError>
        do throws(DictationError) {
            try await engine.prepare(options)
            result = .success(try await engine.makeSession(options))
        } catch {
            result = .failure(error)
        }
        let isAbandoned = state.withLock { state in
            if !state.isAbandoned { state.result = result }
            return state.isAbandoned
        }
        if isAbandoned, case .success(let session) = result { await session.cancel() }
    }
}

extension DictationError {
    static func warmUpTimedOut(_ engine: String, _ limit: Duration) -> DictationError {
        DictationError(
            .timedOut, "The engine “\(engine)” was not ready within \(limit).",
            recovery: "Call prepare(_:) ahead of the first start, or raise “warmUpTimeout”.")
    }
}

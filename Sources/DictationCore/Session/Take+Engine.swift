/// The engine's side of a take: get a session, feed it from the backlog, read its results.
extension Take {
    func runEngine() async {
        do throws(DictationError) {
            let session = try await openSession()
            let isWanted = control.change { control in
                guard !control.isOver else { return false }
                control.session = session
                return true
            }
            guard isWanted else { return await session.cancel() }
            publish { _ in [.engineReady] }
            let backlog = backlog
            try session.start(
                AudioInput(
                    converting: { () async throws(DictationError) in await backlog.next() }, to: session.audioFormat,
                    by: parts.converters))
            var results = session.results.makeAsyncIterator()
            while let result = try await results.next() { publish { $0.apply(result) } }
            control.change { $0.engineEnd = .success(()) }
            if !control.value.isEnding { endByItself() }
        } catch {
            control.change { control in
                control.engineEnd = .failure(error)
                control.note(error)
            }
            endByItself(error)
        }
    }

    /// Makes an engine session, trying again while the engine says that trying again may help.
    private func openSession() async throws(DictationError) -> any RecognitionSession {
        var options = configuration.recognition
        options.deadline = min(options.deadline, configuration.stopLimit)
        let began = runtime.now()
        var delay = configuration.retryDelay
        while true {
            let left = configuration.warmUpLimit - (runtime.now() - began)
            let result = await runtime.within(left) { [engine = parts.engine, options] in
                await Self.makeSession(engine, options)
            }
            guard let result else { throw .warmUpTimedOut(parts.engine.name, configuration.warmUpLimit) }
            guard case .failure(let error) = result, error.isTransient || error.code == .alreadyRunning,
                runtime.now() - began + delay < configuration.warmUpLimit
            else { return try result.get() }
            _ = await runtime.within(delay) { [control] in await control.first { $0.isOver ? true : nil } }
            if control.value.isOver { throw .takeCancelled }
            delay = min(delay * 2, .seconds(1))
        }
    }

    private static func makeSession(
        _ engine: any SpeechEngine, _ options: RecognitionOptions
    ) async -> Result<any RecognitionSession, DictationError> {
        do throws(DictationError) {
            try await engine.prepare(options)
            return .success(try await engine.makeSession(options))
        } catch {
            return .failure(error)
        }
    }
}

extension DictationError {
    static func warmUpTimedOut(_ engine: String, _ limit: Duration) -> DictationError {
        DictationError(
            .timedOut, "The engine '\(engine)' was not ready within \(limit).",
            recovery: "Call prepare(_:) ahead of the first start, or raise 'warmUpLimit'.")
    }
}

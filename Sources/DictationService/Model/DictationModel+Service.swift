public import DictationCore

extension DictationModel {
    /// Creates a model that shows a service, also one in another process, for as long as the model exists.
    ///
    ///     let model = DictationModel(following: try DictationClient())
    ///     print(model.state, model.text)
    ///
    /// While no service runs, `error` says so, and the model finds the next one by itself. A service tells its text and not
    /// its results, so `finalResults` is empty until `stop()` has returned them. Texts that others have asked for are shown while
    /// they are spoken, and are given to nobody else.
    ///
    /// - Parameters:
    ///   - control: The service.
    ///   - profile: The profile of takes that the model starts; `nil` is the usual one.
    public convenience init(following control: any DictationControl, profile: String? = nil) {
        self.init(ServiceSource(control: control, profile: profile))
    }
}

/// A service as a model sees it.
private struct ServiceSource: FollowedService {
    let control: any DictationControl
    let profile: String?
    /// How long a model waits before it looks for a service again.
    private static let pause = Duration.seconds(1)

    func start() async throws(DictationError) -> TakeID { try await control.start(profile: profile) }
    func stop() async throws(DictationError) -> Transcript? {
        guard let text = try await control.stop() else { return nil }
        var transcript = text.transcript
        transcript.take = text.take
        return transcript
    }
    func cancel() async throws(DictationError) { try await control.cancel() }
    func pause() async throws(DictationError) { try await control.pause() }
    func resume() async throws(DictationError) { try await control.resume() }

    func states() -> AsyncStream<FollowedState> {
        let (states, continuation) = AsyncStream<FollowedState>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let runtime = DictationRuntime.current
        let following = runtime.task { [control] in
            while !Task.isCancelled {
                do throws(DictationError) {
                    var statuses = try await control.statusUpdates().makeAsyncIterator()
                    while let status = try await statuses.next() { continuation.yield(FollowedState(status)) }
                    // Its end says nothing of why.
                } catch {
                    var state = FollowedState(take: TakeID(number: 0), state: .idle, locale: "en-US")
                    state.error = error
                    continuation.yield(state)
                }
                try? await runtime.sleep(Self.pause)
            }
            continuation.finish()
        }
        continuation.onTermination = { _ in following.cancel() }
        return states
    }
}

extension FollowedState {
    fileprivate init(_ status: ServiceStatus) {
        let state: DictationSession.State =
            switch status.state {
            case .idle: .idle
            case .starting: .starting
            case .recording: .recording
            case .paused: .paused
            case .finalizing: .finalizing
            case .failed: status.error.map { .failed($0) } ?? .idle
            }
        self.init(take: status.take ?? TakeID(number: 0), state: state, locale: status.locale)
        (finalText, stableText, changingText) = (status.finalText, status.stableText, status.changingText)
        (level, elapsed, hasAudio) = (status.level, status.elapsed, status.hasAudio)
        (isEngineReady, input, interruption) = (status.isEngineReady, status.input, status.interruption)
        error = status.error
    }
}

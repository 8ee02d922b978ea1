import Synchronization

/// One reader's way through a recording. Letting go of it stops the work.
final class TranscriptionCourse: Sendable {
    private struct State: Sendable {
        var session: (any RecognitionSession)?
        var text = TranscriptAccumulator()
    }

    private let request: Transcription
    private let runtime = DictationRuntime.current
    private let state = Mutex(State())
    private let heard = Mutex(LiveTake(configuration: DictationConfiguration()))

    init(_ request: Transcription) { self.request = request }

    deinit {
        let session = state.withLock { $0.session }
        guard session != nil else { return }
        let source = request.source
        runtime.task {
            await session?.cancel()
            await source.stop(.full)
        }
    }

    func next() async throws(DictationError) -> SpeechResult? {
        let session = try await session()
        var results = session.results.makeAsyncIterator()
        guard let result = try await results.next() else { return nil }
        state.withLock { $0.text.apply(result) }
        return result
    }

    var transcript: Transcript {
        let text = state.withLock { $0.text }
        let (gaps, length) = heard.withLock { ($0.gaps, $0.position) }
        return Transcript(
            segments: text.finalized, gaps: gaps, duration: length, locale: request.options.locale,
            isComplete: text.isComplete)
    }

    private func session() async throws(DictationError) -> any RecognitionSession {
        if let session = state.withLock({ $0.session }) { return session }
        let session = try await request.engine.makeSession(request.options)
        let stream = try await request.source.start(request.capture)
        let input = AudioInput(
            converting: { [weak self] () async throws(DictationError) in try await self?.pull(stream) },
            to: session.audioFormat, by: request.converters)
        try session.start(input)
        state.withLock { $0.session = session }
        return session
    }

    private func pull(_ stream: CaptureStream) async throws(DictationError) -> AudioBuffer? {
        var events = stream.makeAsyncIterator()
        while let event = try await events.next() {
            switch event {
            case .buffer(let buffer): return heard.withLock { $0.place(buffer) }
            case .gap(let gap): heard.withLock { _ = $0.lose(gap) }
            case .interrupted, .resumed, .routeChanged: continue
            }
        }
        return nil
    }
}

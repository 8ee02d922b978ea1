import Synchronization

/// One reader's way through a recording. Releasing it stops the work and closes the source.
final class TranscriptionCourse: Sendable {
    private struct State: Sendable {
        var results: RecognitionResults?
        var session: (any RecognitionSession)?
        var work: Task<Void, Never>?
        var isSourceOpen = false
        var text = TranscriptAccumulator()
    }

    private let request: Transcription
    private let runtime = DictationRuntime.current
    private let state = Mutex(State())
    private let recording = PulledRecording()

    init(_ request: Transcription) { self.request = request }

    deinit {
        let (session, work, isSourceOpen) = state.withLock { ($0.session, $0.work, $0.isSourceOpen) }
        work?.cancel()
        let source = request.source
        runtime.task {
            await session?.cancel()
            if isSourceOpen { await source.stop(.full) }
        }
    }

    func next() async throws(DictationError) -> SpeechResult? {
        var results = try await results().makeAsyncIterator()
        guard let result = try await results.next() else { return nil }
        state.withLock { $0.text.apply(result) }
        return result
    }

    var transcript: Transcript {
        let text = state.withLock { $0.text }
        let (gaps, length) = recording.heard
        return Transcript(
            segments: text.finalized, gaps: gaps, duration: length, locale: request.options.locale,
            isComplete: text.isComplete && gaps.isEmpty)
    }

    private func results() async throws(DictationError) -> RecognitionResults {
        if let results = state.withLock({ $0.results }) { return results }
        let results =
            if request.workers > 1, let engine = request.engine as? any ParallelTranscribing {
                try await startWorkers(of: engine)
            } else {
                try await startSession()
            }
        state.withLock { $0.results = results }
        return results
    }

    private func startSession() async throws(DictationError) -> RecognitionResults {
        let session = try await request.engine.makeSession(request.options)
        state.withLock { $0.session = session }
        do throws(DictationError) {
            try session.start(try await input(in: session.audioFormat))
            return session.results
        } catch {
            await session.cancel()
            await closeSource()
            throw error
        }
    }

    private func startWorkers(of engine: any ParallelTranscribing) async throws(DictationError) -> RecognitionResults {
        let failure = Watched<DictationError?>(nil)
        let input = try await input(in: try await engine.audioFormat(for: request.options))
            .ending { error in failure.change { $0 = error } }
        let (results, continuation) = RecognitionResults.makeStream()
        let (options, workers) = (request.options, request.workers)
        let work = runtime.task {
            do throws(DictationError) {
                let sink = ResultSink { continuation.yield($0) }
                try await engine.transcribe(input, options: options, workers: workers, into: sink)
                continuation.finish(throwing: failure.value)
            } catch {
                continuation.finish(throwing: error)
            }
        }
        state.withLock { $0.work = work }
        return results
    }

    private func input(in format: AudioFormat) async throws(DictationError) -> AudioInput {
        let stream = try await request.source.start(request.capture)
        state.withLock { $0.isSourceOpen = true }
        // The input must not keep the course: a source that gives nothing would keep both for good.
        return AudioInput(
            converting: { [recording] () async throws(DictationError) in try await recording.pull(stream) },
            to: format, by: request.converters)
    }

    private func closeSource() async {
        let wasOpen = state.withLock { state in
            defer { state.isSourceOpen = false }
            return state.isSourceOpen
        }
        if wasOpen { await request.source.stop(.full) }
    }
}

/// What was read of a recording so far.
private final class PulledRecording: Sendable {
    private let live = Mutex(LiveTake(DictationConfiguration()))

    var heard: (gaps: [AudioGap], length: Duration) { live.withLock { ($0.gaps, $0.position) } }

    func pull(_ stream: CaptureStream) async throws(DictationError) -> AudioBuffer? {
        var events = stream.makeAsyncIterator()
        while let event = try await events.next() {
            switch event {
            case .buffer(let buffer): return live.withLock { $0.place(buffer) }
            case .gap(let gap): live.withLock { _ = $0.report($0.place(gap)) }
            case .interrupted, .resumed, .routeChanged: continue
            }
        }
        return nil
    }
}

extension AudioInput {
    /// The same audio, which ends where it fails, so that what came before is transcribed to its end.
    fileprivate func ending(whenItFails note: @escaping @Sendable (DictationError) -> Void) -> AudioInput {
        AudioInput {
            var iterator = makeAsyncIterator()
            return { () async throws(DictationError) in
                do throws(DictationError) { return try await iterator.next() } catch {
                    note(error)
                    return nil
                }
            }
        }
    }
}

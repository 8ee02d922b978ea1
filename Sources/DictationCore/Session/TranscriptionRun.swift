import Synchronization

/// One transcription of a recording, or of one speaker's channel, for one reader. Releasing it stops the work and closes the source.
final class TranscriptionRun: Sendable {
    private struct State: Sendable {
        var results: RecognitionResults?
        var session: (any RecognitionSession)?
        var work: Task<Void, Never>?
        var isSourceOpen = false
        var finishing: Task<FinalizationOutcome, Never>?
        /// Whether the engine did not finish the text within its time limit.
        var isCutShort = false
        var error: DictationError?
        var text = TranscriptAccumulator()
    }

    private let request: Transcription
    private let source: any AudioCapturer
    private let workers: Int
    private let note: @Sendable (Duration) -> Void
    private let runtime = DictationRuntime.current
    private let state = Mutex(State())
    private let recording = PulledRecording()

    /// - Parameter note: Gets the time through which the recording was decoded, again and again.
    init(
        _ request: Transcription, of source: any AudioCapturer, workers: Int,
        note: @escaping @Sendable (Duration) -> Void
    ) {
        (self.request, self.source, self.workers, self.note) = (request, source, workers, note)
    }

    deinit {
        let (session, work, isSourceOpen) = state.withLock { ($0.session, $0.work, $0.isSourceOpen) }
        work?.cancel()
        recording.close()
        let source = source
        runtime.task {
            await session?.cancel()
            if isSourceOpen { await source.stop(.full) }
        }
    }

    func next() async throws(DictationError) -> SpeechUpdate? {
        do throws(DictationError) {
            var results = try await results().makeAsyncIterator()
            if let update = try await results.next()?.clamped(to: recording.position) {
                recording.note(update)
                if let time = update.result?.range.upperBound ?? update.finalizedThrough { note(time) }
                return state.withLock { state in
                    state.text.apply(update)
                    // A final result has the range that it has in the transcript.
                    guard case .final = update, let result = state.text.finalResults.last else { return update }
                    return .final(result)
                }
            }
        } catch {
            state.withLock { $0.error = error }
            await close()
            throw error
        }
        let finishing = state.withLock { $0.finishing }
        // A reader that was cancelled doesn't wait for an engine that may need its whole time to finish.
        if !Task.isCancelled, let finishing, recording.hasEnded, await finishing.value == .incomplete {
            state.withLock { $0.isCutShort = true }
        }
        await close()
        return nil
    }

    var transcript: Transcript {
        let (text, isCutShort, error) = state.withLock { ($0.text, $0.isCutShort, $0.error) }
        let (gaps, length) = recording.heard
        return Transcript(
            segments: text.finalResults, gaps: gaps.sorted { $0.range.lowerBound < $1.range.lowerBound },
            duration: length, locale: request.options.locale, error: error,
            isComplete: text.isComplete && recording.hasEnded && !isCutShort && error == nil
                && !gaps.contains(where: \.isOurs))
    }

    private func results() async throws(DictationError) -> RecognitionResults {
        if let results = state.withLock({ $0.results }) { return results }
        let results =
            if workers > 1, let engine = request.engine as? any ParallelTranscribing {
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
        try session.start(try await input(in: session.audioFormat))
        let finishing = runtime.task { [recording] () -> FinalizationOutcome in
            await recording.ended()
            return (try? await session.finish()) ?? .complete
        }
        state.withLock { $0.finishing = finishing }
        return session.results
    }

    private func startWorkers(of engine: any ParallelTranscribing) async throws(DictationError) -> RecognitionResults {
        let failure = Watched<DictationError?>(nil)
        let input = try await input(in: try await engine.audioFormat(for: request.options))
            .ending { error in failure.change { $0 = error } }
        let (results, continuation) = RecognitionResults.makeStream()
        let (options, workers, note) = (request.options, workers, note)
        let work = runtime.task {
            do throws(DictationError) {
                let sink = ResultSink { continuation.yield($0) }.noting(decoded: note)
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
        let stream = try await source.start(request.capture)
        state.withLock { $0.isSourceOpen = true }
        // The input must not hold the run: a source that delivers nothing would keep both alive forever.
        let audio = AudioInput { [recording] in
            var events = stream.makeAsyncIterator()
            return { () async throws(DictationError) in try await recording.pull(&events) }
        }
        return AudioInput(converting: audio, to: format, by: request.converters)
    }

    /// Ends the work and closes the source, so that another run can open it.
    private func close() async {
        let (session, wasOpen) = state.withLock { state in
            defer { state.isSourceOpen = false }
            return (state.session, state.isSourceOpen)
        }
        recording.close()
        await session?.cancel()
        if wasOpen { await source.stop(.full) }
    }
}

/// The recording as far as it was read: its length, its gaps and whether it ended.
private final class PulledRecording: Sendable {
    private enum Phase: Sendable { case open, ended, closed }

    private let live = Mutex(LiveTake(DictationSession.Configuration()))
    private let phase = Watched(Phase.open)

    /// Whether the recording was read to its end.
    var hasEnded: Bool { phase.value == .ended }

    /// Waits until the recording was read to its end or closed.
    func ended() async { _ = await phase.first { $0 == .open ? nil : true } }

    /// Ends the recording for any reader.
    func close() { phase.change { if $0 == .open { $0 = .closed } } }

    var heard: (gaps: [AudioGap], length: Duration) { live.withLock { ($0.gaps, $0.position) } }
    /// The end of the audio that was read.
    var position: Duration { live.withLock { $0.position } }

    /// Notes the audio that an engine left out.
    func note(_ update: SpeechUpdate) {
        if case .interrupted = update { live.withLock { _ = $0.apply(update) } }
    }

    func pull(_ events: inout CaptureStream.Iterator) async throws(DictationError) -> AudioBuffer? {
        while phase.value == .open, let event = try await events.next() {
            switch event {
            case .buffer(let buffer): return live.withLock { $0.place(buffer) }
            case .gap(let gap): live.withLock { _ = $0.report($0.place(gap)) }
            case .interrupted, .resumed, .routeChanged: continue
            }
        }
        phase.change { if $0 == .open, !Task.isCancelled { $0 = .ended } }
        return nil
    }
}

extension AudioInput {
    /// Returns the same audio, but a failure ends it without an error, so that the audio before it is transcribed.
    ///
    /// - Parameter note: Receives the error.
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

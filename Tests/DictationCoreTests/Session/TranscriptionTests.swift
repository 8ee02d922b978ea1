import DictationCapture
import DictationCore
import DictationTesting
import Testing

/// An engine whose text is the number of its workers, once for each second of audio.
private struct CrowdEngine: ParallelTranscribing {
    let words = WordEngine()
    var failsAfter: Duration?
    let name = "crowd"
    var capabilities: EngineCapabilities { words.capabilities }
    var supportedLocales: [SpeechLocale] { get async { ["en-US"] } }

    func audioFormat(for options: RecognitionOptions) async throws(DictationError) -> AudioFormat { .speech }

    func makeSession(_ options: RecognitionOptions) async throws(DictationError) -> any RecognitionSession {
        try await words.makeSession(options)
    }

    func transcribe(
        _ input: AudioInput, options: RecognitionOptions, workers: Int, into results: ResultSink
    ) async throws(DictationError) {
        var spoken = 0
        var end = Duration.zero
        for try await buffer in input {
            end = buffer.end
            if let failsAfter, buffer.end > failsAfter { throw DictationError(.engineFailed, "It broke.") }
            guard buffer.end >= .seconds(spoken + 1) else { continue }
            let range = Duration.seconds(spoken)..<Duration.seconds(spoken + 1)
            spoken += 1
            results.report(decoded: .seconds(spoken))
            results.emit(
                .final(SpeechResult(range: range, text: "\(workers) at it")))
        }
        let start = Duration.seconds(spoken)
        if end >= start + .milliseconds(500) {
            results.emit(.final(SpeechResult(range: start..<end, text: "half")))
        }
    }
}

@Suite struct TranscriptionTests {
    private func recording(_ length: Duration) -> ScriptedCapturer {
        ScriptedCapturer([.tone(440, for: length), .end], pacing: .onDemand)
    }

    @Test func anEngineThatCanIsGivenTheWorkers() async throws {
        let alone = try await CrowdEngine().transcribe(recording(.seconds(2))).transcript()
        #expect(alone.text == "word 1 word 2")
        let transcription = CrowdEngine().transcribe(recording(.seconds(2)), workers: 3)
        let crowd = try await transcription.transcript()
        #expect(transcription.progress.position == .seconds(2))
        #expect(crowd.text == "3 at it 3 at it")
        #expect(crowd.duration == .seconds(2))
        #expect(try await WordEngine().transcribe(recording(.seconds(2)), workers: 3).text() == "word 1 word 2")
    }

    @Test(arguments: [1, 4]) func theTextUntilAnErrorIsKept(workers: Int) async throws {
        var words = WordEngine()
        words.failsAfter = .milliseconds(1_500)
        let engine: any SpeechEngine = workers > 1 ? CrowdEngine(failsAfter: .milliseconds(1_500)) : words
        var results = engine.transcribe(recording(.seconds(4)), workers: workers).makeAsyncIterator()
        let error = await #expect(throws: DictationError.self) {
            while try await results.next() != nil {}
        }
        #expect(error?.code == .engineFailed)
        #expect(results.transcript.text == (workers > 1 ? "4 at it" : "word 1 wor 2"))
    }

    @Test(arguments: [1, 4]) func aRecordingThatFailsIsTextUntilThere(workers: Int) async throws {
        let recording = ScriptedCapturer(
            [.tone(440, for: .milliseconds(2_500)), .fail(DictationError(.fileUnreadable, "It is damaged."))],
            format: AudioFormat(sampleRate: 16_000, channelCount: 2), pacing: .onDemand)
        let engine: any SpeechEngine = workers > 1 ? CrowdEngine() : WordEngine()
        var results = engine.transcribe(recording, workers: workers).makeAsyncIterator()
        let error = await #expect(throws: DictationError.self) {
            while try await results.next() != nil {}
        }
        #expect(error?.code == .fileUnreadable)
        #expect(results.transcript.text == (workers > 1 ? "4 at it 4 at it half" : "word 1 word 2 part 3"))
    }

    /// A resampler holds some audio back until more comes, but none comes after the damage.
    @Test func theEngineGetsAllAudioBeforeTheDamage() async throws {
        let format = AudioFormat(sampleRate: 44_100)
        let recording = ScriptedCapturer(
            [.tone(440, for: .seconds(2)), .fail(DictationError(.fileUnreadable, "It is damaged."))], format: format,
            bufferDuration: format.duration(ofFrames: 1_024), pacing: .onDemand)
        let engine = WordEngine()
        var results = engine.transcribe(recording).makeAsyncIterator()
        await #expect(throws: DictationError.self) { while try await results.next() != nil {} }
        let given = AudioFormat.speech.duration(ofFrames: engine.fed.value)
        #expect(AudioFormat.speech.isSame(given, results.transcript.duration))
    }

    /// A source that delivers nothing for an hour.
    private var silentSource: ScriptedCapturer { ScriptedCapturer([.nothing(for: .seconds(3_600))]) }

    /// An engine whose sessions refuse their input.
    private struct RefusingEngine: SpeechEngine {
        let name = "refusing"
        let capabilities = EngineCapabilities([.dictation])
        let cancelled = Watched(0)
        var supportedLocales: [SpeechLocale] { get async { ["en-US"] } }
        func audioFormat(for options: RecognitionOptions) async throws(DictationError) -> AudioFormat { .speech }
        func makeSession(_ options: RecognitionOptions) async throws(DictationError) -> any RecognitionSession {
            Session(cancelled: cancelled)
        }

        struct Session: RecognitionSession {
            let cancelled: Watched<Int>
            let audioFormat = AudioFormat.speech
            let results = RecognitionResults.makeStream().results
            func start(_ input: AudioInput) throws(DictationError) {
                throw DictationError(.engineFailed, "It takes nothing.")
            }
            func finalize(through time: Duration?) async throws(DictationError) -> FinalizationOutcome { .complete }
            func finish() async throws(DictationError) -> FinalizationOutcome { .complete }
            func cancel() async { cancelled.change { $0 += 1 } }
        }
    }

    /// Whether a capturer is closed: an open one can't be started again.
    private func isClosed(_ capturer: ScriptedCapturer) async -> Bool {
        guard (try? await capturer.start(CaptureOptions())) != nil else { return false }
        await capturer.stop(.full)
        return true
    }

    @Test func aSourceIsClosedWhenTheEngineTakesNoInput() async throws {
        try await VirtualTime.run { clock in
            let (engine, source) = (RefusingEngine(), silentSource)
            await #expect(throws: DictationError.self) { try await engine.transcribe(source).text() }
            #expect(await isClosed(source))
            #expect(engine.cancelled.value >= 1)
        }
    }

    @Test func aSourceIsClosedWhenItsReaderIsCancelledWhileNothingComes() async throws {
        try await VirtualTime.run { clock in
            let source = silentSource
            let reading = DictationRuntime.current.task { try? await WordEngine().transcribe(source).text() }
            await clock.advance(by: .seconds(10))
            #expect(await !isClosed(source))
            reading.cancel()
            #expect(await reading.value == nil)
            await clock.settle()
            #expect(await isClosed(source))
        }
    }
}

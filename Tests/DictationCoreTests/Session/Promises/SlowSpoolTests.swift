import DictationCapture
import DictationCore
import DictationEngines
import DictationTesting
import Testing

/// No text is lost when the disk is slow, hangs or fails, and audio that it did not keep is reported.
@Suite struct SlowSpoolTests {
    @Test(arguments: [Duration.milliseconds(120), .milliseconds(150), .seconds(1)])
    func aSlowDiskCostsNoAudio(delay: Duration) async throws {
        try await VirtualTime.run { clock in
            let engine = WordEngine()
            let capturer = ScriptedCapturer([.tone(440, for: .seconds(3_600))])
            let spool = SlowSpool(delay: delay)
            let session = DictationSession(engine: engine, capturer: capturer, spool: spool)
            try await session.start()
            await clock.advance(by: .seconds(20))
            let began = clock.now.offset
            let transcript = await session.stop()
            #expect(clock.now.offset - began <= .seconds(1))
            #expect(engine.fed.value == capturer.counts.captured)
            #expect(transcript.isComplete && transcript.text.hasPrefix("word 1 word 2") && transcript.gaps.isEmpty)
            #expect(transcript.duration >= .seconds(20))
            await clock.advance(by: .seconds(10))
            #expect(spool.kept.value.isEmpty)
        }
    }

    @Test func aDiskThatHangsCostsNoAudio() async throws {
        try await VirtualTime.run { clock in
            let engine = WordEngine()
            let capturer = ScriptedCapturer([.tone(440, for: .seconds(3_600))])
            let session = DictationSession(engine: engine, capturer: capturer, spool: SlowSpool(hangsAfter: 10))
            try await session.start()
            await clock.advance(by: .seconds(20))
            let transcript = await session.stop()
            #expect(engine.fed.value == capturer.counts.captured && transcript.isComplete)
            await session.waitUntilSettled()
            #expect(clock.now.offset < .seconds(30))
        }
    }

    /// Two minutes on a disk that is fast enough for a sixth of the audio, so the queue is full after about one minute.
    @Test func whatASlowDiskDidNotKeepIsSaidAndIsAGapInTheSpool() async throws {
        try await VirtualTime.run { clock in
            let engine = ScriptedEngine(sessions: [
                [.error(DictationError(.engineFailed, "It broke."), at: .seconds(110))],
                [.final("what was kept", at: .seconds(1))],
            ])
            let spool = SlowSpool(delay: .milliseconds(600))
            let session = DictationSession(
                engine: engine, capturer: ScriptedCapturer([.tone(440, for: .seconds(3_600))]), spool: spool)
            let events = session.events()
            try await session.start()
            await clock.advance(by: .seconds(120))
            let transcript = await session.stop()
            #expect(transcript.error?.code == .engineFailed && transcript.gaps.allSatisfy { $0.cause == .engineFailed })
            await clock.advance(by: .seconds(3_600))
            var complaints = 0
            for await event in events {
                if case .spoolFailed = event.kind { complaints += 1 }
                if case .ended = event.kind { break }
            }
            #expect(complaints >= 1)
            let kept = try #require(spool.kept.value.values.first)
            var position = Duration.zero
            var lost = Duration.zero
            for event in kept.events {
                switch event {
                case .buffer(let buffer):
                    #expect(buffer.start == position)
                    position = buffer.end
                case .gap(let gap):
                    #expect(gap.range.lowerBound == position && gap.cause == .notKept)
                    position = gap.range.upperBound
                    lost += gap.range.upperBound - gap.range.lowerBound
                default: break
                }
            }
            #expect(position == transcript.duration && lost > .seconds(10))
            let again = try await session.retry()
            #expect(again.text == "what was kept" && !again.isComplete)
            #expect(again.duration == transcript.duration)
        }
    }

    @Test func aRetryOfASpoolThatFailedHalfWaySaysWhatIsMissing() async throws {
        try await VirtualTime.run { clock in
            let engine = ScriptedEngine(sessions: [
                [.error(DictationError(.engineFailed, "It broke."), at: .seconds(4))],
                [.final("the first half", at: .seconds(1))],
            ])
            let session = DictationSession(
                engine: engine, capturer: ScriptedCapturer([.tone(440, for: .seconds(60))]),
                spool: SlowSpool(failsAfter: 20))
            try await session.start()
            await clock.advance(by: .seconds(6))
            let transcript = await session.stop()
            await session.waitUntilSettled()
            let again = try await session.retry()
            #expect(again.text == "the first half")
            #expect(!again.isComplete)
            #expect(again.gaps.map(\.range) == [.seconds(2)..<transcript.duration])
            #expect(again.gaps.map(\.cause) == [.notKept])
        }
    }

    /// An engine whose `cancel()` never returns.
    private struct StuckEngine: SpeechEngine {
        let base: any SpeechEngine
        var name: String { base.name }
        var capabilities: EngineCapabilities { base.capabilities }
        var supportedLocales: [SpeechLocale] { get async { await base.supportedLocales } }

        func audioFormat(for options: RecognitionOptions) async throws(DictationError) -> AudioFormat { .speech }
        func makeSession(_ options: RecognitionOptions) async throws(DictationError) -> any RecognitionSession {
            StuckSession(base: try await base.makeSession(options))
        }
    }

    private struct StuckSession: RecognitionSession {
        let base: any RecognitionSession
        let runtime = DictationRuntime.current
        var audioFormat: AudioFormat { base.audioFormat }
        var results: RecognitionResults { base.results }
        func start(_ input: AudioInput) throws(DictationError) { try base.start(input) }
        func finalize(through time: Duration?) async throws(DictationError) -> FinalizationOutcome {
            try await base.finalize(through: time)
        }
        func finish() async throws(DictationError) -> FinalizationOutcome { try await base.finish() }
        func cancel() async { await runtime.task { try? await runtime.sleep(.seconds(1_000_000)) }.value }
    }

    @Test func anEngineThatHangsInCancelKeepsNoAudioOnDisk() async throws {
        try await VirtualTime.run { clock in
            let spool = SlowSpool()
            let engine = StuckEngine(base: ScriptedEngine())
            let session = DictationSession(
                engine: engine, capturer: ScriptedCapturer([.tone(440, for: .seconds(60))]), spool: spool)
            try await session.start()
            await clock.advance(by: .seconds(2))
            #expect(spool.kept.value.count == 1)
            await session.cancel()
            await session.waitUntilSettled()
            #expect(spool.kept.value.isEmpty)
        }
    }

    @Test func aRetryWorksAlthoughTheEngineHungInCancel() async throws {
        try await VirtualTime.run { clock in
            let broken = DictationError(.engineFailed, "It broke.")
            let engine = StuckEngine(
                base: ScriptedEngine(sessions: [[.error(broken, at: .seconds(1))], [.final("all", at: .seconds(1))]]))
            let session = DictationSession(
                engine: engine, capturer: ScriptedCapturer([.tone(440, for: .seconds(60))]), spool: SlowSpool())
            try await session.start()
            await clock.advance(by: .seconds(2))
            #expect(await session.stop().error == broken)
            #expect(try await session.retry().text == "all")
        }
    }
}

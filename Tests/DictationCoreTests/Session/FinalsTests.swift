import DictationCapture
import DictationCore
import DictationTesting
import Testing

@Suite struct FinalsTests {
    private let microphone = [ScriptedCapturer.Step.tone(440, for: .seconds(3_600))]

    /// Reads the results until the session is released.
    private func read(_ finals: DictationSession.FinalResults) -> Task<[String], Never> {
        DictationRuntime.current.task {
            var texts: [String] = []
            for await result in finals { texts.append(result.text) }
            return texts
        }
    }

    @Test func everyFinalResultComesOnceAcrossTakes() async throws {
        try await VirtualTime.run { clock in
            var session: DictationSession? = DictationSession(
                engine: WordEngine(), capturer: ScriptedCapturer(microphone))
            let early = try self.read(#require(session).finals())
            for _ in 1...2 {
                try await session?.start()
                await clock.advance(by: .milliseconds(2_600))
                await session?.stop()
            }
            let late = try self.read(#require(session).finals())
            session = nil
            #expect(await early.value == ["word 1", "word 2", "part 3", "word 1", "word 2", "part 3"])
            #expect(await late.value == [])
        }
    }

    @Test func aReaderThatIsFarBehindMissesNone() async throws {
        try await VirtualTime.run { clock in
            var session: DictationSession? = DictationSession(
                engine: WordEngine(), capturer: ScriptedCapturer(microphone))
            let finals = try #require(session).finals()
            try await session?.start()
            await clock.advance(by: .seconds(300))
            let transcript = try #require(await session?.stop())
            session = nil
            #expect(await self.read(finals).value == transcript.segments.map(\.text))
            #expect(transcript.segments.count >= 300)
        }
    }

    @Test func aTakeThatEndsBesideALaterOneDeliversItsText() async throws {
        try await VirtualTime.run { clock in
            var engine = WordEngine()
            engine.stallsAfter = .milliseconds(1_300)
            let session = DictationSession(engine: engine, capturer: ScriptedCapturer(microphone))
            let reading = self.read(session.finals())
            try await session.start()
            await clock.advance(by: .milliseconds(1_900))
            let stopping = DictationRuntime.current.task { await session.stop() }
            await clock.advance(by: .milliseconds(500))
            try await session.start()
            await clock.advance(by: .seconds(60))
            let transcripts = await [stopping.value, session.stop()]
            #expect(transcripts.map(\.take) == [TakeID(number: 1), TakeID(number: 2)])
            // A cancelled reader keeps the results that it got before.
            reading.cancel()
            #expect(await reading.value.sorted() == transcripts.flatMap { $0.segments.map(\.text) }.sorted())
        }
    }
}

@Suite struct TakeNameTests {
    private func session() -> DictationSession {
        DictationSession(engine: WordEngine(), capturer: ScriptedCapturer([.tone(440, for: .seconds(3_600))]))
    }

    @Test func aStartAndAStopNameTheirTake() async throws {
        try await VirtualTime.run { clock in
            let session = self.session()
            let first = try await session.start()
            #expect(try await session.start() == first)
            #expect(await session.stop().take == first)
            let second = try await session.start()
            #expect(second > first)
            #expect(await session.stop().take == second)
            #expect(session.transcript.take == second)
        }
    }

    @Test func aLateStopTouchesNoLaterTake() async throws {
        try await VirtualTime.run { clock in
            let session = self.session()
            let first = try await session.start()
            await clock.advance(by: .seconds(1))
            let text = await session.stop(first)
            #expect(text?.take == first && text?.isEmpty == false)
            let second = try await session.start()
            await session.stop(first)
            #expect(session.state == .recording)
            #expect(await session.stop(second)?.take == second)
            #expect(session.state == .idle)
        }
    }
}

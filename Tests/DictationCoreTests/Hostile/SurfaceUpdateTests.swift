import DictationCapture
import DictationCore
import DictationTesting
import Testing

/// A session keeps its promises whatever updates its engine sends.
@Suite struct SurfaceUpdateTests {
    @Test(arguments: 1...30 as ClosedRange<UInt64>)
    func anyUpdatesBecomeOneOrderlyText(seed: UInt64) async throws {
        try await VirtualTime.run(seed: seed) { clock in
            let chance = Held((random: SplitMix64(seed: seed), number: 0, texts: [String]()))
            let engine = HandEngine { _ in
                HandSession(
                    .init(take: { session, _ in
                        let updates = chance.change { chance in
                            (0..<Int.random(in: 0...3, using: &chance.random)).map { _ in
                                chance.number += 1
                                let update = SpeechUpdate.hostile("t\(chance.number)", &chance.random)
                                if let result = update.finalResult, result.hasText { chance.texts.append(result.text) }
                                return update
                            }
                        }
                        for update in updates { session.out.yield(update) }
                    }))
            }
            var session: DictationSession? = DictationSession(
                engine: engine, capturer: ScriptedCapturer([.tone(440, for: .seconds(9_000))]),
                configuration: shortLimits())
            let events = try #require(session).events()
            let witness = try Witness(#require(session))
            let slow = try Witness(#require(session), resting: .milliseconds(700))
            let finals = try #require(session).finals()
            try await session?.start()
            await clock.advance(by: .seconds(5))
            let late = try Witness(#require(session))
            await clock.advance(by: .seconds(1))
            let text = try #require(await session?.stop())
            await session?.waitUntilSettled()
            await clock.advance(by: .seconds(60))
            session = nil
            await clock.advance(by: .seconds(60))

            for seen in [witness, slow, late] {
                #expect(seen.problems == [], "seed \(seed)")
                #expect(seen.shown.transcript.segments == text.segments, "seed \(seed)")
                for event in seen.events {
                    guard case .text(let change) = event.kind else { continue }
                    #expect((change.finalResults + change.volatileTail).allHaveText, "seed \(seed)")
                }
            }
            let said = text.segments.map(\.text)
            // All final text of the engine is kept, and after it at most what was volatile at the end.
            #expect(said.starts(with: chance.value.texts), "seed \(seed)")
            #expect(text.segments.dropFirst(chance.value.texts.count).allSatisfy { !$0.isComplete }, "seed \(seed)")
            #expect(text.segments.allSatisfy { $0.range.lowerBound >= .zero }, "seed \(seed)")
            #expect(text.segments.areInOrder, "seed \(seed)")
            var read: [SpeechResult] = []
            for await result in finals { read.append(result) }
            #expect(read == text.segments, "seed \(seed)")
            var count = 0
            for await _ in events { count += 1 }
            #expect(count > 0)
        }
    }

    /// Text that an engine makes final far ahead of the audio does not hide what is said later.
    @Test func aTimeFarAheadHidesNoLaterText() async throws {
        try await VirtualTime.run { clock in
            let (text, witness, _, _) = await HostileEngineTests.take(
                .init(take: { session, buffer in
                    if buffer.start == .zero { session.out.yield(.finalized(through: .seconds(1 << 40))) }
                    session.out.yield(.final(SpeechResult(range: buffer.range, text: "\(buffer.start.inSeconds)")))
                }), clock: clock)
            #expect(text.segments.count >= 50)
            #expect(witness.problems == [])
        }
    }

    /// A document that is written phrase by phrase is the document of the transcript.
    @Test func aPhraseHasTheRangeOfTheTranscript() async throws {
        try await VirtualTime.run { _ in
            let engine = HandEngine { _ in
                HandSession(
                    .init(take: { session, buffer in
                        session.say("word", buffer.start, for: .seconds(3))
                    }))
            }
            let recording = ScriptedCapturer(
                [.tone(440, for: .seconds(5))], bufferDuration: .seconds(1), pacing: .onDemand)
            var results = engine.transcribe(recording).makeAsyncIterator()
            var ends: [Duration] = []
            while let result = try await results.next() {
                #expect(result == results.transcript.segments.last)
                ends.append(result.range.upperBound)
            }
            #expect(ends == (3...7).map { .seconds($0) })
        }
    }

    @Test func aTranscriptionOfHostileResultsIsInOrder() async throws {
        for seed in 1...12 as ClosedRange<UInt64> {
            try await VirtualTime.run(seed: seed) { _ in
                let chance = Held((random: SplitMix64(seed: seed), number: 0))
                let engine = HandEngine { _ in
                    HandSession(
                        .init(take: { session, _ in
                            let update = chance.change { chance in
                                chance.number += 1
                                return SpeechUpdate.hostile("t\(chance.number)", &chance.random)
                            }
                            session.out.yield(update)
                        }))
                }
                let recording = ScriptedCapturer([.tone(440, for: .seconds(5))], pacing: .onDemand)
                var results = engine.transcribe(recording).makeAsyncIterator()
                var read: [SpeechResult] = []
                while let result = try await results.next() { read.append(result) }
                #expect(read.allHaveText, "seed \(seed)")
                #expect(read.areInOrder, "seed \(seed)")
                #expect(results.transcript.segments == read, "seed \(seed)")
            }
        }
    }
}

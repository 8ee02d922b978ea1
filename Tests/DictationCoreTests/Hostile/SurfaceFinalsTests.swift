import DictationCapture
import DictationCore
import DictationEngines
import DictationTesting
import Testing

/// Every reader of final results gets each of them once and in order, whenever it came and however slowly it reads.
@Suite struct SurfaceFinalsTests {
    static let seeds = 1...24 as ClosedRange<UInt64>

    /// Reads results until the session is released or the reader is cancelled.
    private final class Reader: Sendable {
        let texts = Held<[String]>([])
        private let task: Held<Task<Void, Never>?> = Held(nil)

        init(_ finals: DictationSession.FinalResults, resting rest: Duration = .zero) {
            let runtime = DictationRuntime.current
            task.value = runtime.task { [texts] in
                for await result in finals {
                    texts.change { $0.append(result.text) }
                    if rest > .zero { await runtime.rest(rest) }
                }
            }
        }

        func leave() { task.value?.cancel() }
        func end() async { await task.value?.value }
    }

    /// An engine whose words are different in every session, so that a doubled result is noticed.
    private func counting() -> HandEngine {
        HandEngine { number in
            let words = Count()
            return HandSession(
                .init(take: { session, buffer in
                    while .seconds(words.value + 1) <= buffer.end {
                        let second = words.next()
                        session.say("\(number).\(second)", .seconds(second))
                    }
                }))
        }
    }

    @Test(arguments: seeds) func lateDroppedAndSlowReadersMissNothing(seed: UInt64) async throws {
        try await VirtualTime.run(seed: seed) { clock in
            var random = SplitMix64(seed: seed)
            let spool = HostileSpool()
            var session: DictationSession? = DictationSession(
                engine: self.counting(), capturer: ScriptedCapturer([.tone(440, for: .seconds(9_000))]), spool: spool,
                configuration: shortLimits())
            let first = try Reader(#require(session).finals())
            let witness = try Witness(#require(session))
            var late: [(reader: Reader, isDropped: Bool)] = []
            for _ in 0..<25 {
                let used = try #require(session)
                switch Int.random(in: 0..<9, using: &random) {
                case 0, 1: _ = try? await used.start()
                case 2: await used.stop()
                case 3: await used.cancel()
                case 4: _ = DictationRuntime.current.task { await used.stop() }
                case 5:
                    let rest = Duration.milliseconds([0, 3_000].randomElement(using: &random) ?? 0)
                    late.append((Reader(used.finals(), resting: rest), false))
                case 6:
                    if let index = late.indices.randomElement(using: &random) {
                        late[index].reader.leave()
                        late[index].isDropped = true
                    }
                case 7: _ = used.finals()
                default: await used.pause()
                }
                await clock.advance(by: .milliseconds(Int.random(in: 0...3_000, using: &random)))
            }
            await session?.stop()
            await session?.waitUntilSettled()
            await clock.advance(by: .seconds(1))
            session = nil
            await clock.advance(by: .seconds(600))
            await first.end()
            let all = first.texts.value
            #expect(Set(all).count == all.count, "seed \(seed): a result came twice")
            for (reader, isDropped) in late {
                await reader.end()
                let texts = reader.texts.value
                if isDropped {
                    let begin = texts.first.flatMap(all.firstIndex) ?? 0
                    #expect(all[begin...].starts(with: texts), "seed \(seed)")
                } else {
                    #expect(texts == all.suffix(texts.count), "seed \(seed)")
                }
            }
            // Each ended take is there as a whole.
            for (take, transcript) in witness.ended {
                let texts = transcript.segments.map(\.text)
                #expect(all.filter(texts.contains) == texts, "seed \(seed), \(take)")
            }
            #expect(witness.problems == [], "seed \(seed)")
        }
    }

    @Test func aReaderThatComesDuringATakeGetsTheRestOfIt() async throws {
        try await VirtualTime.run { clock in
            var session: DictationSession? = DictationSession(
                engine: self.counting(), capturer: ScriptedCapturer([.tone(440, for: .seconds(9_000))]))
            try await session?.start()
            await clock.advance(by: .milliseconds(3_500))
            let shown = try #require(session?.transcript.segments.map(\.text))
            let late = try Reader(#require(session).finals())
            await clock.advance(by: .milliseconds(3_000))
            let said = try #require(await session?.stop().segments.map(\.text))
            session = nil
            await late.end()
            #expect(shown.count == 3 && shown + late.texts.value == said)
        }
    }

    /// Two tasks that share one sequence get each result once between them.
    @Test(arguments: seeds) func twoIteratorsShareTheResults(seed: UInt64) async throws {
        try await VirtualTime.run(seed: seed) { clock in
            var session: DictationSession? = DictationSession(
                engine: self.counting(), capturer: ScriptedCapturer([.tone(440, for: .seconds(9_000))]))
            let finals = try #require(session).finals()
            let readers = [Reader(finals), Reader(finals, resting: .milliseconds(1_500)), Reader(finals)]
            try await session?.start()
            await clock.advance(by: .seconds(2))
            readers[0].leave()
            await clock.advance(by: .seconds(10))
            let said = try #require(await session?.stop().segments.map(\.text))
            session = nil
            for reader in readers { await reader.end() }
            #expect(readers.flatMap(\.texts.value).sorted() == said.sorted())
        }
    }

    @Test func aCancelledTakeKeepsWhatWasDeliveredAndAddsNothing() async throws {
        try await VirtualTime.run { clock in
            var session: DictationSession? = DictationSession(
                engine: self.counting(), capturer: ScriptedCapturer([.tone(440, for: .seconds(9_000))]))
            let reader = try Reader(#require(session).finals())
            try await session?.start()
            await clock.advance(by: .milliseconds(2_500))
            await session?.cancel()
            await clock.advance(by: .seconds(30))
            #expect(reader.texts.value == ["0.0", "0.1"])
            try await session?.start()
            await clock.advance(by: .milliseconds(1_500))
            await session?.stop()
            session = nil
            await reader.end()
            #expect(reader.texts.value.starts(with: ["0.0", "0.1", "1.0"]))
        }
    }

    @Test func aRetryDeliversItsResultsAgain() async throws {
        try await VirtualTime.run { clock in
            let broken = DictationError(.engineFailed, "It broke.")
            let engine = ScriptedEngine(sessions: [
                [.final("one", at: .seconds(1)), .error(broken, at: .seconds(2))],
                [.final("one", at: .seconds(1)), .final("two", at: .seconds(2))],
            ])
            var session: DictationSession? = DictationSession(
                engine: engine, capturer: ScriptedCapturer([.tone(440, for: .seconds(9_000))]), spool: HostileSpool())
            let reader = try Reader(#require(session).finals())
            try await session?.start()
            await clock.advance(by: .seconds(4))
            await session?.stop()
            await session?.waitUntilSettled()
            let late = try Reader(#require(session).finals())
            #expect(try await session?.retry().text == "one two")
            session = nil
            await reader.end()
            await late.end()
            #expect(reader.texts.value == ["one", "one", "two"] && late.texts.value == ["one", "two"])
        }
    }

    /// A listener that sleeps through ten minutes of speech still sees every final word, in order.
    @Test func aListenerThatSleptKnowsTheWholeText() async throws {
        try await VirtualTime.run(realTimeLimit: .seconds(600)) { clock in
            var session: DictationSession? = DictationSession(
                engine: self.counting(), capturer: ScriptedCapturer([.tone(440, for: .seconds(9_000))]))
            let events = try #require(session).events()
            let finals = try #require(session).finals()
            try await session?.start()
            await clock.advance(by: .seconds(600))
            let said = try #require(await session?.stop())
            session = nil
            var shown = DictationSession.Snapshot()
            for await event in events { shown.apply(event) }
            let reader = Reader(finals)
            await reader.end()
            #expect(shown.transcript.segments == said.segments && said.segments.count >= 600)
            #expect(reader.texts.value == said.segments.map(\.text))
        }
    }
}

import DictationCapture
import DictationCore
import DictationEngines
import DictationTesting
import Testing

/// A take is stopped by its own name alone.
@Suite struct SurfaceTakeTests {
    private func session(_ engine: any SpeechEngine = WordEngine()) -> DictationSession {
        DictationSession(
            engine: engine, capturer: ScriptedCapturer([.tone(440, for: .seconds(9_000))]),
            configuration: shortLimits())
    }

    @Test(arguments: [0, -1, 2, 99, Int.max, Int.min])
    func aTakeThatNeverBeganStopsNothing(number: Int) async throws {
        try await VirtualTime.run { clock in
            let session = self.session()
            _ = await session.stop(TakeID(number: number))
            #expect(session.state == .idle)
            let take = try await session.start()
            await clock.advance(by: .milliseconds(1_500))
            #expect(await session.stop(TakeID(number: number)) == nil)
            #expect(session.state == .recording)
            #expect(await session.stop(take)?.take == take)
        }
    }

    @Test func anEndedTakeKeepsItsTextUntilTheNextBegins() async throws {
        try await VirtualTime.run { clock in
            let session = self.session()
            let first = try await session.start()
            await clock.advance(by: .milliseconds(1_500))
            let text = await session.stop()
            for _ in 0..<3 { #expect(await session.stop(first) == text) }
            let second = try await session.start()
            #expect(await session.stop(first) == nil)
            await clock.advance(by: .milliseconds(1_500))
            #expect(session.state == .recording && session.transcript.take == second)
            await session.cancel()
            #expect(await session.stop(first) == nil)
            #expect(await session.stop(second)?.isEmpty ?? true)
        }
    }

    @Test func manyTasksThatStopOneTakeGetItsText() async throws {
        for seed in 1...20 as ClosedRange<UInt64> {
            try await VirtualTime.run(seed: seed) { clock in
                let session = self.session()
                let starts = (0..<5).map { _ in DictationRuntime.current.task { try? await session.start() } }
                var ids: Set<TakeID?> = []
                for start in starts { ids.insert(await start.value) }
                #expect(ids == [TakeID(number: 1)], "seed \(seed)")
                await clock.advance(by: .milliseconds(1_500))
                let stops = (0..<5).map { _ in
                    DictationRuntime.current.task { await session.stop(TakeID(number: 1)) }
                }
                var texts: [Transcript?] = []
                for stop in stops { texts.append(await stop.value) }
                #expect(Set(texts).count == 1 && texts[0]?.take == TakeID(number: 1), "seed \(seed)")
                #expect(texts[0]?.segments.first?.text == "word 1", "seed \(seed)")
            }
        }
    }

    /// Starts, stops and cancels from many tasks at once. No answer is about another take than the one that was named.
    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func aStopAnswersForItsTakeAlone(seed: UInt64) async throws {
        try await VirtualTime.run(seed: seed, lateness: .milliseconds(300)) { clock in
            let session = self.session()
            let witness = Witness(session)
            let answers = Held<[(asked: TakeID, text: Transcript?)]>([])
            let workers = (0..<4).map { worker in
                DictationRuntime.current.task {
                    let runtime = DictationRuntime.current
                    var random = SplitMix64(seed: seed * 10 + UInt64(worker))
                    for _ in 0..<12 {
                        switch Int.random(in: 0..<8, using: &random) {
                        case 0...2:
                            guard let take = try? await session.start() else { break }
                            await runtime.rest(.milliseconds(Int.random(in: 0...1_500, using: &random)))
                            let text = await session.stop(take)
                            answers.change { $0.append((take, text)) }
                        case 3:
                            let old = TakeID(number: Int.random(in: 0...6, using: &random))
                            let text = await session.stop(old)
                            answers.change { $0.append((old, text)) }
                        case 4: await session.cancel()
                        case 5: _ = await session.stop()
                        case 6: await session.pause()
                        default: await runtime.rest(.milliseconds(Int.random(in: 0...900, using: &random)))
                        }
                    }
                }
            }
            for worker in workers { await worker.value }
            _ = await session.stop()
            await session.waitUntilSettled()
            await clock.advance(by: .seconds(30))
            let ended = witness.ended
            for (asked, text) in answers.value {
                guard let text else { continue }
                // Before the first take and after a cancel there is no text to name.
                if let take = text.take, !text.isEmpty { #expect(take == asked, "seed \(seed)") }
                if let whole = ended[asked], !text.isEmpty { #expect(text == whole, "seed \(seed), \(asked)") }
            }
            #expect(witness.problems == [], "seed \(seed)")
        }
    }

    /// While a take ends slowly, a later one records; a stop of the first waits for the first and leaves the later one.
    @Test func aSlowTakeIsStoppedWhileALaterOneRecords() async throws {
        try await VirtualTime.run { clock in
            let engine = ScriptedEngine(sessions: [
                [.final("one", at: .seconds(1)), .slowFinish(.milliseconds(900))], [.final("two", at: .seconds(1))],
            ])
            let session = self.session(engine)
            let first = try await session.start()
            await clock.advance(by: .milliseconds(1_500))
            let stopping = DictationRuntime.current.task { await session.stop(first) }
            await clock.advance(by: .milliseconds(400))
            let second = try await session.start()
            let again = DictationRuntime.current.task { await session.stop(first) }
            await clock.advance(by: .seconds(3))
            #expect(await stopping.value?.text == "one")
            let late = await again.value
            #expect(late == nil || late?.take == first)
            #expect(session.state == .recording)
            #expect(await session.stop(second)?.text == "two")
        }
    }

    @Test func aStartThatFailsNamesNoTakeThatStopsAnother() async throws {
        try await VirtualTime.run { clock in
            let broken = DictationError(.modelInvalid, "It is broken.")
            let engine = ScriptedEngine(sessions: [[.failingStart(broken)], [.final("one", at: .seconds(1))]])
            let session = self.session(engine)
            await #expect(throws: DictationError.self) { try await session.start() }
            let failed = await session.stop()
            #expect(failed.error != nil && failed.text.isEmpty)
            let take = try await session.start()
            #expect(take > failed.take ?? TakeID(number: 0))
            if let id = failed.take { #expect(await session.stop(id) == nil) }
            await clock.advance(by: .milliseconds(1_500))
            #expect(await session.stop().text == "one")
        }
    }
}

import DictationCapture
import DictationCore
import DictationEngines
import DictationTesting
import Testing

/// Slow, late, many and vanishing listeners, and the snapshots that result from their events.
@Suite struct HostileListenerTests {
    static func session(_ engine: ScriptedEngine = ScriptedEngine()) -> DictationSession {
        DictationSession(
            engine: engine,
            capturer: ScriptedCapturer([
                .tone(440, for: .seconds(1)), .gap(for: .seconds(1)), .unplug(for: .seconds(1)),
                .tone(300, for: .seconds(900)),
            ]),
            configuration: shortLimits())
    }

    @Test(arguments: 1...6 as ClosedRange<UInt64>)
    func everyListenerSeesEveryEndWhateverItsPace(seed: UInt64) async throws {
        try await VirtualTime.run(seed: seed) { clock in
            let session = Self.session()
            var witnesses: [Witness] = []
            var texts: [TakeID: Transcript] = [:]
            for number in 1...11 {
                witnesses.append(Witness(session, resting: .milliseconds(number * number * 10)))
                try await session.start()
                await clock.advance(by: .seconds(Double(number)))
                if number % 4 == 0 {
                    await session.cancel()
                } else {
                    texts[TakeID(number: number)] = await session.stop()
                }
            }
            await clock.advance(by: .seconds(4_000))
            for (index, witness) in witnesses.enumerated() {
                #expect(witness.problems == [], "listener \(index)")
                let expected = texts.filter { $0.key.number > index }
                #expect(witness.ended.filter { $0.key.number > index } == expected)
                #expect(witness.shown.transcript == session.transcript)
                #expect(witness.shown.state == session.state)
                #expect(witness.shown.volatileTail.isEmpty)
            }
        }
    }

    @Test func aNewListenerSeesWhatAnOldOneDraws() async throws {
        try await VirtualTime.run { clock in
            let session = Self.session()
            let old = Witness(session)
            for cancels in [false, true] {
                try await session.start()
                await clock.advance(by: .seconds(3))
                if cancels { await session.cancel() } else { _ = await session.stop() }
                await clock.advance(by: .seconds(10))
                let new = Witness(session)
                await clock.advance(by: .seconds(1))
                #expect(new.shown.transcript == old.shown.transcript)
                #expect(new.shown.state == old.shown.state)
                #expect(new.shown.take == old.shown.take)
                #expect(session.transcript.segments == old.shown.transcript.segments)
            }
        }
    }

    @Test func aListenerThatNeverReadsCostsLittleAndCatchesUp() async throws {
        try await VirtualTime.run { clock in
            let session = Self.session()
            let idle = session.events()
            for _ in 0..<100 {
                try await session.start()
                await clock.advance(by: .seconds(5))
                _ = await session.stop()
            }
            await clock.advance(by: .seconds(10))
            let runtime = DictationRuntime.current
            let seen = Held<[DictationEvent]>([])
            let reading = runtime.task {
                for await event in idle { seen.change { $0.append(event) } }
            }
            await clock.advance(by: .seconds(1))
            reading.cancel()
            await reading.value
            let ends = seen.value.filter { if case .ended = $0.kind { true } else { false } }
            #expect(ends.map(\.take.number) == Array(1...100))
            #expect(seen.value.count <= 100 + 258)
        }
    }

    @Test func threeHundredListenersSeeTheSame() async throws {
        try await VirtualTime.run { clock in
            let session = Self.session()
            let witnesses = (0..<300).map { _ in Witness(session) }
            try await session.start()
            await clock.advance(by: .seconds(6))
            let text = await session.stop()
            await clock.advance(by: .seconds(5))
            for witness in witnesses {
                #expect(witness.events == witnesses[0].events)
                #expect(witness.ended == [TakeID(number: 1): text])
            }
        }
    }

    @Test func twoIteratorsOfOneSequenceShareItsEvents() async throws {
        try await VirtualTime.run { clock in
            let session = Self.session()
            let events = session.events()
            let runtime = DictationRuntime.current
            let seen = Held<[DictationEvent]>([])
            let readers = (0..<3).map { _ in
                runtime.task { for await event in events { seen.change { $0.append(event) } } }
            }
            try await session.start()
            await clock.advance(by: .seconds(3))
            _ = await session.stop()
            await clock.advance(by: .seconds(3))
            for reader in readers { reader.cancel() }
            for reader in readers { await reader.value }
            let ends = seen.value.filter { if case .ended = $0.kind { true } else { false } }
            #expect(ends.count == 1)
        }
    }

    @Test(arguments: 1...6 as ClosedRange<UInt64>)
    func listenersThatComeAndGoDisturbNobody(seed: UInt64) async throws {
        try await VirtualTime.run(seed: seed) { clock in
            let session = Self.session()
            let steady = Witness(session)
            var random = SplitMix64(seed: seed)
            try await session.start()
            for _ in 0..<100 {
                let witness = Witness(session)
                await clock.advance(by: .milliseconds(Int.random(in: 0...100, using: &random)))
                witness.leave()
            }
            _ = await session.stop()
            await clock.advance(by: .seconds(5))
            #expect(steady.problems == [])
        }
    }

    @Test func aListenerThatCancelsItselfEndsTheTakeForAll() async throws {
        try await VirtualTime.run { clock in
            let session = Self.session()
            let witness = Witness(session)
            let runtime = DictationRuntime.current
            let listening = runtime.task { [events = session.events()] in
                for await event in events {
                    if case .text = event.kind { await session.cancel() }
                    if event.kind == .cancelled { break }
                }
            }
            try await session.start()
            await clock.advance(by: .seconds(5))
            await listening.value
            #expect(session.state == .idle)
            #expect(witness.cancelled == [TakeID(number: 1)])
            #expect(witness.problems == [])
        }
    }

    @Test func eventsEndWithTheSession() async throws {
        try await VirtualTime.run { clock in
            var session: DictationSession? = Self.session()
            let witness = session.map { Witness($0) }
            await clock.advance(by: .seconds(1))
            session = nil
            await clock.advance(by: .seconds(60))
            #expect(witness?.isOver == true)
        }
    }

    @Test func aSnapshotTakesAnyEventInAnyOrder() {
        var random = SplitMix64(seed: 7)
        let result = SpeechResult(range: .zero..<Duration.seconds(1), text: "x")
        let kinds: [DictationEvent.Kind] = [
            .snapshot(DictationSession.Snapshot(take: TakeID(number: 3), state: .recording)), .state(.idle),
            .state(.recording),
            .engineReady, .text(DictationEvent.TextChange(finalResults: [result], volatileTail: [result])),
            .level(.silence),
            .input(.speech), .gap(AudioGap(range: .zero..<Duration.zero, frameCount: .min, cause: .damaged)),
            .interrupted(.noData), .resumed(nil), .routeChanged(nil),
            .spoolFailed(DictationError(.storageFull, "Full.")),
            .ended(Transcript(segments: [result])), .cancelled,
        ]
        for _ in 0..<200 {
            var shown = DictationSession.Snapshot()
            for _ in 0..<100 {
                let number = [Int.min, -1, 0, 1, 2, 3, Int.max].randomElement(using: &random) ?? 0
                let kind = kinds.randomElement(using: &random) ?? .engineReady
                let before = shown
                let event = DictationEvent(take: TakeID(number: number), elapsed: .seconds(Int64.min), kind: kind)
                shown.apply(event)
                if case .snapshot(let snapshot) = kind {
                    #expect(shown == snapshot)
                } else if number < before.take.number {
                    #expect(shown == before)
                } else {
                    #expect(shown.take.number == number)
                    if case .ended(let text) = kind { #expect(shown.transcript == text && shown.volatileTail.isEmpty) }
                    if kind == .cancelled { #expect(shown.transcript.isEmpty && shown.volatileTail.isEmpty) }
                }
            }
        }
    }
}

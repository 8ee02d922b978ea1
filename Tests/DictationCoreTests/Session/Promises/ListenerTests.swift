import DictationCapture
import DictationCore
import DictationEngines
import DictationTesting
import Testing

/// However slow a listener is, it receives takes in order, and the end of each.
@Suite struct ListenerTests {
    private func session() -> DictationSession {
        DictationSession(engine: WordEngine(), capturer: ScriptedCapturer([.tone(440, for: .seconds(600))]))
    }

    /// Reads all waiting events of a listener that has not read before.
    private func waiting(_ events: DictationSession.Events, until isLast: (DictationEvent) -> Bool) async
        -> [DictationEvent]
    {
        var all: [DictationEvent] = []
        for await event in events {
            all.append(event)
            if isLast(event) { break }
        }
        return all
    }

    private func expectOrder(_ events: [DictationEvent], sourceLocation: SourceLocation = #_sourceLocation) {
        var take = TakeID(number: 0)
        var ended: Set<TakeID> = []
        for event in events {
            if event.kind.endsATake {
                #expect(ended.insert(event.take).inserted, "\(event.take) ended twice", sourceLocation: sourceLocation)
            } else {
                #expect(event.take >= take, "\(event) after \(take)", sourceLocation: sourceLocation)
                if case .text = event.kind { #expect(!ended.contains(event.take), sourceLocation: sourceLocation) }
                take = event.take
            }
        }
    }

    @Test func aSlowListenerHearsOfTakesInOrder() async throws {
        try await VirtualTime.run { clock in
            let session = session()
            let events = session.events()
            for _ in 1...3 {
                try await session.start()
                await clock.advance(by: .milliseconds(2_700))
                await session.stop()
            }
            try await session.start()
            await clock.advance(by: .milliseconds(1_600))
            let all = await waiting(events) { event in
                if case .text = event.kind, event.take.number == 4 { true } else { false }
            }
            expectOrder(all)
            #expect(all.filter(\.kind.endsATake).count == 3)
            let texts = (1...3).map { number in
                all.filter { $0.take.number == number }.reduce(into: [String]()) { texts, event in
                    if case .text(let change) = event.kind { texts += change.finalResults.map(\.text) }
                }
            }
            #expect(texts == Array(repeating: ["word 1", "word 2", "part 3"], count: 3))
        }
    }

    @Test func ofATakeThatANewOneFollowsOnlyTheEndIsTold() async throws {
        try await VirtualTime.run { clock in
            let engine = ScriptedEngine(sessions: [
                [.slowFinish(.seconds(5)), .final("the last words")], [.final("new words", at: .seconds(8))],
            ])
            let session = DictationSession(
                engine: engine, capturer: ScriptedCapturer([.tone(440, for: .seconds(600))]))
            let events = session.events()
            try await session.start()
            await clock.advance(by: .seconds(2))
            let stopping = DictationRuntime.current.task { await session.stop() }
            await clock.advance(by: .seconds(1))
            try await session.start()
            await clock.advance(by: .seconds(10))
            let all = await waiting(events) { event in
                if case .text = event.kind, event.take.number == 2 { true } else { false }
            }
            expectOrder(all)
            #expect(await stopping.value.text == "the last words")
            #expect(all.contains { if case .ended = $0.kind { $0.take.number == 1 } else { false } })
        }
    }

    @Test func everyEndIsToldToAListenerThatNeverRead() async throws {
        try await VirtualTime.run { clock in
            let session = session()
            let events = session.events()
            var expected: [String] = []
            for number in 1...120 {
                try await session.start()
                await clock.advance(by: .milliseconds(1_200))
                if number % 10 == 0 { await session.cancel() } else { expected.append(await session.stop().text) }
            }
            let all = await waiting(events) { if case .snapshot = $0.kind, $0.take.number > 0 { true } else { false } }
            expectOrder(all)
            let ended = all.compactMap { event -> String? in
                if case .ended(let transcript) = event.kind { transcript.text } else { nil }
            }
            #expect(ended == expected && ended.count == 108)
            #expect(all.count { if case .cancelled = $0.kind { true } else { false } } == 12)
        }
    }

    @Test func aCancelledTakeLeavesNoTextOnTheScreen() async throws {
        try await VirtualTime.run { clock in
            let session = session()
            var shown = DictationSession.Snapshot()
            var iterator = session.events().makeAsyncIterator()
            try await session.start()
            await clock.advance(by: .milliseconds(1_700))
            while shown.volatileTail.isEmpty, let event = await iterator.next() { shown.apply(event) }
            #expect(shown.volatileTail.map(\.text) == ["wor 2"] && shown.transcript.text == "word 1")
            await session.cancel()
            while shown.state != .idle, let event = await iterator.next() { shown.apply(event) }
            #expect(shown.volatileTail.isEmpty && shown.transcript.isEmpty)
            #expect(session.transcript.isEmpty)
            let fresh = await session.events().makeAsyncIterator().nextSnapshot()
            #expect(fresh?.volatileTail.isEmpty == true && fresh?.transcript.isEmpty == true)
        }
    }

    @Test func aSnapshotHasAllThatEventsWouldHaveTold() async throws {
        try await VirtualTime.run { clock in
            let microphone = ScriptedCapturer([.tone(440, for: .milliseconds(2_700)), .unplug(for: .seconds(100))])
            let session = DictationSession(engine: WordEngine(), capturer: microphone)
            var shown = DictationSession.Snapshot()
            let events = session.events()
            try await session.start()
            await clock.advance(by: .milliseconds(2_650))
            let before = await session.events().makeAsyncIterator().nextSnapshot()
            #expect(before?.level.rms ?? .silence > Decibels(-20) && before?.input == .speech)
            await clock.advance(by: .seconds(2))
            let late = try #require(await session.events().makeAsyncIterator().nextSnapshot())
            #expect(late.interruption == .deviceLost)
            #expect(late.elapsed == session.elapsed && late.elapsed >= .milliseconds(2_700))
            #expect(late.level == .silence && late.isEngineReady && late.state == .recording)
            for await event in events {
                shown.apply(event)
                if shown.interruption != nil, shown.volatileTail == late.volatileTail { break }
            }
            shown.transcript.duration = late.transcript.duration
            shown.transcript.isComplete = late.transcript.isComplete
            #expect(shown.transcript == late.transcript && shown.volatileTail == late.volatileTail)
            #expect(shown.isEngineReady && shown.state == .recording && shown.level == .silence)
        }
    }

    @Test func whoeverFollowsKnowsAfterAPauseWhatANewListenerKnows() async throws {
        try await VirtualTime.run { clock in
            let session = session()
            let events = session.events()
            try await session.start()
            await clock.advance(by: .seconds(1))
            await session.pause()
            await clock.advance(by: .seconds(1))
            try await session.resume()
            await clock.advance(by: .milliseconds(1_050))
            let fresh = try #require(await session.events().makeAsyncIterator().nextSnapshot())
            var shown = DictationSession.Snapshot()
            for await event in events {
                shown.apply(event)
                if shown.elapsed == fresh.elapsed, case .level = event.kind { break }
            }
            #expect(fresh.input == .speech && shown.input == .speech)
        }
    }

    @Test func anEngineThatFailedToStartWasNeverReady() async throws {
        try await VirtualTime.run { clock in
            let broken = DictationError(.modelInvalid, "The model is broken.")
            let session = DictationSession(
                engine: ScriptedEngine([.failingStart(broken)]), capturer: ScriptedCapturer([]))
            let events = session.events()
            await #expect(throws: broken) { try await session.start() }
            var shown = DictationSession.Snapshot()
            for await event in events {
                shown.apply(event)
                if shown.state == .failed(broken) { break }
            }
            let fresh = await session.events().makeAsyncIterator().nextSnapshot()
            #expect(fresh?.isEngineReady == false && !shown.isEngineReady)
        }
    }

    @Test func aStopWhoseCallerIsCancelledHasTheWordsThatWereSeen() async throws {
        try await VirtualTime.run { clock in
            var engine = WordEngine()
            engine.stallsAfter = .milliseconds(1_700)
            let session = DictationSession(
                engine: engine, capturer: ScriptedCapturer([.tone(440, for: .seconds(60))]))
            try await session.start()
            await clock.advance(by: .seconds(3))
            let stopping = DictationRuntime.current.task { await session.stop() }
            await clock.advance(by: .seconds(1))
            stopping.cancel()
            let transcript = await stopping.value
            #expect(transcript.text == "word 1 wor 2" && !transcript.isComplete)
        }
    }
}

extension DictationEvent.Kind {
    fileprivate var endsATake: Bool {
        switch self {
        case .ended, .cancelled: true
        default: false
        }
    }
}

extension DictationSession.Events.Iterator {
    fileprivate func nextSnapshot() async -> DictationSession.Snapshot? {
        var iterator = self
        guard case .snapshot(let snapshot)? = await iterator.next()?.kind else { return nil }
        return snapshot
    }
}

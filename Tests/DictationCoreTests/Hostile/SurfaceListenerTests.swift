import DictationCapture
import DictationCore
import DictationTesting
import Foundation
import Testing

/// Listeners that come late, call the session while they listen, or get events in an order that no session sends.
@Suite struct SurfaceListenerTests {
    private func session() -> DictationSession {
        DictationSession(
            engine: WordEngine(), capturer: ScriptedCapturer([.tone(440, for: .seconds(9_000))]),
            configuration: shortLimits())
    }

    @Test(arguments: 1...12 as ClosedRange<UInt64>) func aLateListenerKnowsAllThatAnEarlyOneDoes(seed: UInt64)
        async throws
    {
        try await VirtualTime.run(seed: seed) { clock in
            var random = SplitMix64(seed: seed)
            let session = self.session()
            var witnesses = [Witness(session)]
            for _ in 0..<12 {
                switch Int.random(in: 0..<5, using: &random) {
                case 0, 1: _ = try? await session.start()
                case 2: await session.stop()
                case 3: await session.cancel()
                default: await session.pause()
                }
                witnesses.append(Witness(session))
                _ = session.events()
                if Bool.random(using: &random) { witnesses.randomElement(using: &random)?.leave() }
                await clock.advance(by: .milliseconds(Int.random(in: 0...2_500, using: &random)))
            }
            let last = Witness(session)
            await session.stop()
            await session.waitUntilSettled()
            await clock.advance(by: .seconds(60))
            #expect(last.problems == [], "seed \(seed)")
            let (shown, text) = (last.shown.transcript, session.transcript)
            #expect(shown.segments == text.segments, "seed \(seed)")
            #expect(shown.gaps == text.gaps, "seed \(seed)")
            #expect(shown.duration == text.duration, "seed \(seed)")
            #expect(shown.take == text.take, "seed \(seed)")
            #expect(last.shown.state == session.state, "seed \(seed)")
            for witness in witnesses {
                guard case .snapshot = witness.events.first?.kind else {
                    Issue.record("seed \(seed): the first event is no snapshot")
                    continue
                }
                if !witness.isOver { #expect(witness.shown == last.shown, "seed \(seed)") }
            }
        }
    }

    /// A listener may stop, start and cancel takes from within its loop.
    @Test(arguments: 1...8 as ClosedRange<UInt64>) func aListenerMayCallTheSession(seed: UInt64) async throws {
        try await VirtualTime.run(seed: seed) { clock in
            let session = self.session()
            let witness = Witness(session)
            let stopped = Held<[Transcript?]>([])
            let events = session.events()
            let listening = DictationRuntime.current.task {
                for await event in events {
                    switch event.kind {
                    case .text(let change) where !change.finalResults.isEmpty:
                        let text = await session.stop(event.take)
                        stopped.change { $0.append(text) }
                    case .ended where event.take.number < 4: _ = try? await session.start()
                    case .ended: return
                    default: break
                    }
                }
            }
            try await session.start()
            await clock.advance(by: .seconds(60))
            await listening.value
            #expect(witness.ended.keys.map(\.number).sorted() == [1, 2, 3, 4], "seed \(seed)")
            #expect(stopped.value.compactMap(\.self).allSatisfy { $0.segments.first?.text == "word 1" }, "seed \(seed)")
            #expect(witness.problems == [], "seed \(seed)")
        }
    }

    /// Once a later take began, an earlier one changes nothing by its end.
    @Test func theEndOfAnEarlierTakeChangesNothingShown() {
        var shown = DictationSession.Snapshot()
        let (first, second) = (TakeID(number: 1), TakeID(number: 2))
        shown.apply(DictationEvent(take: first, kind: .state(.recording)))
        shown.apply(
            DictationEvent(take: first, kind: .text(DictationEvent.TextChange(finalResults: [.spoken("old", 0, 1)]))))
        shown.apply(DictationEvent(take: second, kind: .state(.recording)))
        #expect(shown.transcript.segments.isEmpty && shown.take == second)
        let tail = [SpeechResult.spoken("b", 1, 2)]
        let change = DictationEvent.TextChange(
            finalResults: [.spoken("a", 0, 1)], volatileTail: tail, finalizedThrough: .seconds(1))
        shown.apply(DictationEvent(take: second, elapsed: .seconds(2), kind: .text(change)))
        let before = shown
        shown.apply(DictationEvent(take: first, elapsed: .seconds(9), kind: .ended(Transcript(take: first))))
        #expect(shown == before)
        shown.apply(DictationEvent(take: first, kind: .cancelled))
        #expect(shown == before && shown.transcript.text == "a")
        shown.apply(DictationEvent(take: second, kind: .cancelled))
        #expect(shown.transcript.isEmpty && shown.volatileTail.isEmpty)
    }

    @Test(arguments: [
        "0", "-1", "9223372036854775807", "9223372036854775808", "1e3", "1.5", "null", "\"1\"", "[1]", "{}",
    ])
    func aTakeIsReadFromANumberOrRefused(json: String) throws {
        let data = Data("[\(json)]".utf8)
        guard let takes = try? JSONDecoder().decode([TakeID].self, from: data) else { return }
        #expect(try JSONDecoder().decode([TakeID].self, from: JSONEncoder().encode(takes)) == takes)
    }

    /// A text that comes from JSON is as safe to show as one that a program wrote.
    @Test(arguments: ["\\u001b[2J", "\\n\\u0000", "\\u202e", "\\u2028", "\\u009b31m"])
    func anErrorFromJSONIsOneVisibleLine(text: String) throws {
        let json =
            #"{"code":"x","message":"a\#(text)","recovery":"b\#(text)","underlying":{"domain":"d","code":1,"message":"c\#(text)"}}"#
        let error = try JSONDecoder().decode(DictationError.self, from: Data(json.utf8))
        for text in [error.message, error.recovery ?? "", error.underlying?.message ?? ""] {
            #expect(text.count > 1 && text.visible == text)
        }
    }

    /// An input that never waits and never ends: the decoder has its own thread, and the deadline comes.
    @Test func anInputThatNeverWaitsIsFinishedAtTheDeadline() async throws {
        let index = Count()
        let input = AudioInput {
            { () async throws(DictationError) in
                AudioBuffer(silence: 160, format: .speech, start: .milliseconds(10 * index.next()))
            }
        }
        var options = RecognitionOptions.liveDictation()
        options.finalizationTimeout = .milliseconds(100)
        let session = try await WordEngine().makeSession(options)
        try session.start(input)
        let reading = Task { for try await _ in session.results {} }
        #expect(try await session.finish() == .incomplete)
        try await reading.value
    }
}

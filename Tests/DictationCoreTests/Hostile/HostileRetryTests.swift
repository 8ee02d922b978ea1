import DictationCapture
import DictationCore
import DictationEngines
import DictationTesting
import Testing

/// Retries that hang, are stopped or are cancelled.
@Suite struct HostileRetryTests {
    @Test(arguments: HostileSpool.Fault.allCases, [HostileSpool.Call.read, .readEvent, .takes, .discard])
    func aRetryWithABadDiskEndsAndCanBeTriedAgain(fault: HostileSpool.Fault, call: HostileSpool.Call) async throws {
        try await VirtualTime.run { clock in
            let spool = HostileSpool()
            let broken = DictationError(.engineFailed, "It broke.")
            let engine = ScriptedEngine(sessions: [
                [.error(broken, at: .seconds(1))], [.final("said", at: .seconds(1))],
            ])
            let session = DictationSession(
                engine: engine, capturer: ScriptedCapturer([]), spool: spool, configuration: shortLimits())
            let witness = Witness(session)
            try await session.start()
            await clock.advance(by: .seconds(3))
            _ = await session.stop()
            await session.waitUntilSettled()
            #expect(spool.disk.value.events.count == 1)
            let kept = try #require(spool.disk.value.order.first)
            spool.faults.value = [call: fault]
            let retry = DictationRuntime.current.task { try? await session.retry(kept) }
            await clock.advance(by: .seconds(5))
            // A cancel ends the retry, whatever hangs.
            await session.cancel()
            let began = clock.now.offset
            _ = await retry.value
            #expect(clock.now.offset - began <= .seconds(2.5))
            await session.waitUntilSettled()
            spool.faults.value = [:]
            spool.gate.open()
            await clock.advance(by: .seconds(30))
            if spool.disk.value.events[kept] != nil {
                #expect(try await session.retry(kept).text == "said")
                await session.waitUntilSettled()
            }
            await clock.advance(by: .seconds(30))
            #expect(spool.disk.value.events.isEmpty)
            #expect(engine.openSessions == 0)
            #expect(witness.problems == [])
        }
    }

    /// A `stop()` during a retry returns within `stopTimeout` when the engine hangs.
    @Test(arguments: [ScriptedEngine.Script.Step.stall(at: .seconds(1)), .neverFinishes()])
    func aStopEndsARetryWhoseEngineHangs(step: ScriptedEngine.Script.Step) async throws {
        try await VirtualTime.run { clock in
            let broken = DictationError(.engineFailed, "It broke.")
            let engine = ScriptedEngine(sessions: [
                [.error(broken, at: .seconds(1))], [.final("one", at: .seconds(0.5)), step],
            ])
            let session = DictationSession(
                engine: engine, capturer: ScriptedCapturer([]), spool: HostileSpool(), configuration: shortLimits())
            try await session.start()
            await clock.advance(by: .seconds(3))
            _ = await session.stop()
            await session.waitUntilSettled()
            let retry = DictationRuntime.current.task { try? await session.retry() }
            await clock.advance(by: .seconds(1))
            let began = clock.now.offset
            let stop = DictationRuntime.current.task {
                _ = await session.stop()
                return clock.now.offset - began
            }
            await clock.advance(by: .seconds(100))
            #expect(session.state != .finalizing)
            await session.cancel()
            #expect(await stop.value <= .seconds(2.5))
            #expect(await retry.value?.text == "one")
        }
    }

    /// A `stop()` during a retry returns within `stopTimeout` when the spool hangs.
    @Test(arguments: [HostileSpool.Fault.hanging, .deaf], [HostileSpool.Call.read, .readEvent])
    func aStopEndsARetryThatHangs(fault: HostileSpool.Fault, call: HostileSpool.Call) async throws {
        try await VirtualTime.run { clock in
            let spool = HostileSpool()
            let broken = DictationError(.engineFailed, "It broke.")
            let engine = ScriptedEngine(sessions: [
                [.error(broken, at: .seconds(1))], [.final("said", at: .seconds(1))],
            ])
            let session = DictationSession(
                engine: engine, capturer: ScriptedCapturer([]), spool: spool, configuration: shortLimits())
            try await session.start()
            await clock.advance(by: .seconds(3))
            _ = await session.stop()
            await session.waitUntilSettled()
            spool.faults.value = [call: fault]
            let retry = DictationRuntime.current.task { try? await session.retry() }
            await clock.advance(by: .seconds(1))
            let began = clock.now.offset
            let stop = DictationRuntime.current.task {
                _ = await session.stop()
                return clock.now.offset - began
            }
            await clock.advance(by: .seconds(100))
            await session.cancel()
            #expect(await stop.value <= .seconds(2.5))
            spool.faults.value = [:]
            spool.gate.open()
            await session.waitUntilSettled()
            _ = await retry.value
            #expect(spool.disk.value.events.count == 1)
            #expect(!session.state.isActive && session.state != .finalizing)
        }
    }

    @Test func aCancelledRetryKeepsItsAudioAndACancelledTakeDoesNot() async throws {
        try await VirtualTime.run { clock in
            let spool = HostileSpool()
            let engine = ScriptedEngine(sessions: [[.neverFinishes()], [.slowStart(.seconds(2))], []])
            let session = DictationSession(
                engine: engine, capturer: ScriptedCapturer([]), spool: spool, configuration: shortLimits())
            try await session.start()
            await clock.advance(by: .seconds(3))
            let text = await session.stop()
            #expect(!text.isComplete)
            await session.waitUntilSettled()
            #expect(spool.disk.value.events.count == 1)
            let retry = DictationRuntime.current.task { try? await session.retry() }
            await clock.advance(by: .seconds(1))
            #expect(session.state == .finalizing)
            await session.cancel()
            #expect(await retry.value == nil)
            await session.waitUntilSettled()
            #expect(spool.disk.value.events.count == 1)
            #expect(try await session.retry().isComplete)
            await session.waitUntilSettled()
            #expect(spool.disk.value.events.isEmpty)
            try await session.start()
            await clock.advance(by: .seconds(3))
            await session.cancel()
            await session.waitUntilSettled()
            #expect(spool.disk.value.events.isEmpty)
        }
    }

    @Test func aRetryDuringATakeAndATakeDuringARetryKeepOrder() async throws {
        try await VirtualTime.run { clock in
            let spool = HostileSpool()
            let broken = DictationError(.engineFailed, "It broke.")
            let engine = ScriptedEngine(sessions: [
                [.error(broken, at: .seconds(1))], [.slowStart(.seconds(1)), .final("again", at: .seconds(1))],
                [.final("new", at: .seconds(1))],
            ])
            let session = DictationSession(
                engine: engine, capturer: ScriptedCapturer([]), spool: spool, configuration: shortLimits())
            let witness = Witness(session)
            try await session.start()
            await clock.advance(by: .seconds(3))
            _ = await session.stop()
            await session.waitUntilSettled()
            let retry = DictationRuntime.current.task { try? await session.retry() }
            await clock.advance(by: .seconds(0.5))
            try await session.start()
            await #expect(throws: DictationError.self) { try await session.retry() }
            await clock.advance(by: .seconds(3))
            #expect(await session.stop().text == "new")
            #expect(await retry.value?.text == "again")
            await session.waitUntilSettled()
            await clock.advance(by: .seconds(10))
            #expect(spool.disk.value.events.isEmpty)
            #expect(witness.problems == [])
        }
    }

    /// A cancelled retry keeps its audio in the spool.
    @Test(arguments: [0.0, 0.5, 1.0, 1.5, 3.0]) func aRetryWhoseTaskIsCancelledKeepsItsAudio(after delay: Double)
        async throws
    {
        try await VirtualTime.run { clock in
            let spool = HostileSpool()
            let broken = DictationError(.engineFailed, "It broke.")
            let engine = ScriptedEngine(sessions: [
                [.error(broken, at: .seconds(1))],
                [.slowStart(.seconds(1)), .slowFinish(.milliseconds(800)), .final("said", at: .seconds(1))],
            ])
            let session = DictationSession(
                engine: engine, capturer: ScriptedCapturer([]), spool: spool, configuration: shortLimits())
            let witness = Witness(session)
            try await session.start()
            await clock.advance(by: .seconds(3))
            _ = await session.stop()
            await session.waitUntilSettled()
            let retry = DictationRuntime.current.task { try? await session.retry() }
            await clock.advance(by: .seconds(delay))
            retry.cancel()
            let text = await retry.value
            await session.waitUntilSettled()
            await clock.advance(by: .seconds(30))
            #expect(text?.isComplete == true || !spool.disk.value.events.isEmpty)
            #expect(engine.openSessions == 0)
            #expect(witness.problems == [])
        }
    }

    /// The articles tell apps to retry a take whose text is incomplete. So after a gap of the device either the text is
    /// complete or the retry succeeds.
    @Test func anIncompleteTakeCanBeTriedAgainAsTheArticleDoes() async throws {
        try await VirtualTime.run { clock in
            let microphone = ScriptedCapturer([
                .tone(440, for: .seconds(2)), .gap(for: .seconds(1)), .tone(440, for: .seconds(9)),
            ])
            let session = DictationSession(
                engine: ScriptedEngine([.final("said", at: .seconds(1))]), capturer: microphone, spool: HostileSpool(),
                configuration: shortLimits())
            try await session.start()
            await clock.advance(by: .seconds(5))
            let text = await session.stop()
            guard !text.isComplete else { return }
            let again = try await session.retry()
            #expect(again.text == "said")
        }
    }
}

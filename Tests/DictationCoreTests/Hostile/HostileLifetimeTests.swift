import DictationCapture
import DictationCore
import DictationEngines
import DictationTesting
import Testing

/// Sessions that are released in every state, and sessions with many takes.
@Suite struct HostileLifetimeTests {
    @Test(arguments: [0.0, 0.3, 0.6, 1.2, 2.0, 3.1, 4.0, 4.15, 4.3, 6.0], [true, false])
    func aSessionReleasedAtAnyMomentLeavesNothingOpen(after delay: Double, paused: Bool) async throws {
        try await VirtualTime.run { clock in
            let engine = ScriptedEngine([
                .slowStart(.seconds(1)), .slowFinish(.milliseconds(500)), .final("x", at: .seconds(1)),
            ])
            let microphone = FedCapturer(beforeStop: { await DictationRuntime.current.rest(.milliseconds(200)) })
            let spool = HostileSpool()
            var session: DictationSession? = DictationSession(
                engine: engine, capturer: microphone, spool: spool, configuration: shortLimits())
            weak let released = session
            let witness = session.map { Witness($0) }
            let start = DictationRuntime.current.task { [weak session] in
                // A call of `start()` keeps its session alive until it returns.
                if let session { _ = try? await session.start() }
            }
            await clock.advance(by: .seconds(min(delay, 4)))
            if paused { await session?.pause() }
            var stop: Task<Void, Never>?
            if delay > 4 {
                stop = DictationRuntime.current.task { [weak session] in if let session { _ = await session.stop() } }
                await clock.advance(by: .seconds(delay - 4))
            }
            session = nil
            await clock.advance(by: .seconds(60))
            await start.value
            await stop?.value
            #expect(released == nil)
            #expect(witness?.isOver == true)
            #expect(engine.openSessions == 0)
            #expect(microphone.open.value == 0)
            #expect(spool.openWriters.value == 0)
        }
    }

    @Test func aSessionWhosePartsHangIsReleased() async throws {
        try await VirtualTime.run { clock in
            let gate = Gate()
            let sessions = HandSessions()
            let engine = sessions.engine(
                .init(
                    finish: { _ in
                        await gate.wait()
                        return .complete
                    }, cancel: { _ in await gate.wait() }))
            let microphone = FedCapturer(beforeStop: { await gate.wait() })
            let spool = HostileSpool([.append: .deaf])
            var session: DictationSession? = DictationSession(
                engine: engine, capturer: microphone, spool: spool, configuration: shortLimits())
            weak let released = session
            try await session?.start()
            await clock.advance(by: .seconds(3))
            session = nil
            await clock.advance(by: .seconds(60))
            #expect(released == nil)
            gate.open()
            spool.gate.open()
            await clock.advance(by: .seconds(60))
            #expect(microphone.open.value == 0)
            #expect(spool.openWriters.value == 0)
            #expect(sessions.areEnded)
        }
    }

    @Test(arguments: [false, true]) func takesKeepNoEngineSessionAlive(cancels: Bool) async throws {
        try await VirtualTime.run { clock in
            let alive = Count()
            let engine = HandEngine { _ in
                alive.next()
                return HandSession(.init(whenReleased: { alive.drop() }))
            }
            let session = DictationSession(engine: engine, capturer: ScriptedCapturer([]), configuration: shortLimits())
            for _ in 0..<50 {
                try await session.start()
                await clock.advance(by: .seconds(2))
                if cancels { await session.cancel() } else { _ = await session.stop() }
                await session.waitUntilSettled()
            }
            await clock.advance(by: .seconds(60))
            #expect(alive.value <= 1)
        }
    }

    @Test func anEngineSessionThatKeepsItsInputIsReleased() async throws {
        try await VirtualTime.run { clock in
            let alive = Count()
            do {
                let engine = HandEngine { _ in
                    alive.next()
                    let inputs = Held<[AudioInput]>([])
                    return HandSession(
                        .init(
                            start: { session, input in
                                inputs.change { $0.append(input) }
                                session.read(input)
                            }, whenReleased: { alive.drop() }))
                }
                let session = DictationSession(
                    engine: engine, capturer: ScriptedCapturer([]), configuration: shortLimits())
                try await session.start()
                await clock.advance(by: .seconds(2))
                await session.stop()
                await session.waitUntilSettled()
            }
            await clock.advance(by: .seconds(60))
            #expect(alive.value == 0)
        }
    }
}

import DictationCapture
import DictationCore
import DictationEngines
import DictationTesting
import Testing

/// Calls in bad orders, at every moment.
@Suite struct HostileSessionTests {
    static let seeds = 1...12 as ClosedRange<UInt64>

    enum Call: CaseIterable, Sendable {
        case start, stop, cancel, pause, resume, toggle, retry, settled, prepare, startAndGiveUp, stopAndGiveUp

        func make(on session: DictationSession) async {
            switch self {
            case .start: _ = try? await session.start()
            case .stop: _ = await session.stop()
            case .cancel: await session.cancel()
            case .pause: await session.pause()
            case .resume: try? await session.resume()
            case .toggle: _ = try? await session.toggle()
            case .retry: _ = try? await session.retry()
            case .settled: await session.waitUntilSettled()
            case .prepare: try? await session.prepare()
            case .startAndGiveUp:
                let task = DictationRuntime.current.task { try? await session.start() }
                task.cancel()
                _ = await task.value
            case .stopAndGiveUp:
                let task = DictationRuntime.current.task { _ = await session.stop() }
                task.cancel()
                await task.value
            }
        }

        /// How long the call may take. A retry has no limit, because it waits for the audio of a whole take.
        var limit: Duration? {
            switch self {
            case .start, .startAndGiveUp, .resume, .toggle: .seconds(3.5)
            case .stop, .stopAndGiveUp: .seconds(2.5)
            case .cancel, .pause: .milliseconds(100)
            case .prepare: .seconds(3.5)
            case .settled: .seconds(15)
            case .retry: nil
            }
        }
    }

    /// Makes random calls at random moments and returns a description of each that took too long.
    static func storm(
        _ session: DictationSession, seed: UInt64, calls count: Int, clock: ManualClock
    ) async -> [String] {
        var random = SplitMix64(seed: seed)
        let late = Held<[String]>([])
        var tasks: [Task<Void, Never>] = []
        for _ in 0..<count {
            let call = Call.allCases.randomElement(using: &random) ?? .start
            tasks.append(
                DictationRuntime.current.task {
                    let began = clock.now.offset
                    await call.make(on: session)
                    let took = clock.now.offset - began
                    if let limit = call.limit, took > limit { late.change { $0.append("\(call) took \(took)") } }
                })
            let pauses: [Double] = [0, 0, 0.05, 0.3, 1, 4]
            await DictationRuntime.current.rest(.seconds(pauses.randomElement(using: &random) ?? 0))
        }
        for task in tasks { await task.value }
        _ = await session.stop()
        await session.waitUntilSettled()
        return late.value
    }

    @Test(arguments: seeds) func anyCallsInAnyOrderKeepThePromises(seed: UInt64) async throws {
        try await VirtualTime.run(seed: seed) { clock in
            let engine = ScriptedEngine()
            let microphone = ScriptedCapturer([
                .tone(440, for: .seconds(3)), .unplug(for: .seconds(1)), .tone(300, for: .seconds(900)),
            ])
            let spool = HostileSpool()
            let session = DictationSession(
                engine: engine, capturer: microphone, spool: spool, configuration: shortLimits())
            let witness = Witness(session)
            let lazy = Witness(session, resting: .seconds(3))
            let late = await Self.storm(session, seed: seed, calls: 60, clock: clock)
            await clock.advance(by: .seconds(3_000))
            #expect(late == [])
            #expect(witness.problems == [])
            #expect(lazy.problems == [])
            #expect(engine.openSessions == 0)
            #expect(spool.openWriters.value == 0)
        }
    }

    @Test(arguments: seeds) func limitsThatExpireWhileWorkIsReadyKeepThePromises(seed: UInt64) async throws {
        try await VirtualTime.run(seed: seed, lateness: .seconds(3)) { clock in
            let engine = ScriptedEngine()
            let microphone = ScriptedCapturer([.tone(440, for: .seconds(900))]) { $0.startDelay = .seconds(1) }
            let spool = HostileSpool([.append: .slow])
            let session = DictationSession(
                engine: engine, capturer: microphone, spool: spool, configuration: shortLimits())
            let witness = Witness(session)
            _ = await Self.storm(session, seed: seed, calls: 40, clock: clock)
            await clock.advance(by: .seconds(3_000))
            #expect(witness.problems == [])
            #expect(engine.openSessions == 0)
            #expect(spool.openWriters.value == 0)
        }
    }

    @Test(arguments: seeds) func troubledPartsAndAnyCallsKeepThePromises(seed: UInt64) async throws {
        try await VirtualTime.run(seed: seed) { clock in
            let broken = DictationError(.engineFailed, "It broke.")
            let engine = ScriptedEngine(sessions: [
                [.slowStart(.seconds(2)), .volatile("a", at: .seconds(1)), .error(broken, at: .seconds(2))],
                [.failingStart(DictationError(.deviceUnavailable, "Not now."))],
                [.final("b", at: .seconds(1)), .neverFinishes()],
                [.stall(at: .seconds(1))],
                .counting,
            ])
            let microphone = ScriptedCapturer(takes: [
                [.tone(440, for: .seconds(2)), .fail(DictationError(.deviceLost, "Gone."))],
                [.gap(for: .seconds(1)), .tone(440, for: .seconds(4)), .end],
                [.nothing(for: .seconds(5)), .tone(300, for: .seconds(500))],
            ]) {
                $0.openFailures = 2
                $0.stopDelay = .seconds(1)
            }
            let spool = HostileSpool([.close: .slow])
            let session = DictationSession(
                engine: engine, capturer: microphone, spool: spool, configuration: shortLimits())
            let witness = Witness(session)
            let late = await Self.storm(session, seed: seed, calls: 50, clock: clock)
            await clock.advance(by: .seconds(3_000))
            #expect(late == [])
            #expect(witness.problems == [])
            // The session no longer waits for calls that hang in the engine. Now they return late.
            engine.releaseStalls()
            await clock.advance(by: .seconds(100))
            #expect(engine.openSessions == 0)
            #expect(spool.openWriters.value == 0)
        }
    }

    @Test func callsWithoutATakeDoNothing() async throws {
        try await VirtualTime.run { clock in
            let microphone = ScriptedCapturer([])
            let session = DictationSession(engine: ScriptedEngine(), capturer: microphone)
            let witness = Witness(session)
            #expect(await session.stop() == session.transcript)
            await session.cancel()
            await session.pause()
            await session.waitUntilSettled()
            await #expect(throws: DictationError.self) { try await session.resume() }
            await #expect(throws: DictationError.self) { try await session.retry() }
            await clock.advance(by: .seconds(60))
            #expect(session.state == .idle)
            #expect(clock.now.offset == .seconds(60))
            #expect(witness.events.count == 1)
            #expect(microphone.counts.starts == 0)
        }
    }

    @Test(arguments: seeds) func everyStopOfOneTakeGivesTheSameText(seed: UInt64) async throws {
        try await VirtualTime.run(seed: seed) { clock in
            let session = DictationSession(
                engine: ScriptedEngine(), capturer: ScriptedCapturer([]), configuration: shortLimits())
            let witness = Witness(session)
            try await session.start()
            await clock.advance(by: .seconds(7))
            async let first = session.stop()
            async let second = session.stop()
            async let third = session.stop()
            let texts = await [first, second, third, session.stop()]
            await clock.advance(by: .seconds(5))
            #expect(Set(texts).count == 1)
            #expect(witness.ended[TakeID(number: 1)] == texts[0])
            #expect(witness.problems == [])
        }
    }

    @Test(arguments: seeds) func startsAndStopsBackToBackLoseNoTake(seed: UInt64) async throws {
        try await VirtualTime.run(seed: seed) { clock in
            let engine = ScriptedEngine([.slowFinish(.milliseconds(700)), .final("x", at: .seconds(0.1))])
            let microphone = ScriptedCapturer([.tone(440, for: .seconds(100))]) { $0.stopDelay = .milliseconds(300) }
            let session = DictationSession(engine: engine, capturer: microphone, configuration: shortLimits())
            let witness = Witness(session)
            var texts: [Transcript] = []
            for _ in 0..<10 {
                try await session.start()
                await clock.advance(by: .seconds(0.5))
                texts.append(await session.stop())
            }
            await clock.advance(by: .seconds(60))
            #expect(witness.problems == [])
            #expect(witness.ended.count == 10)
            for (number, text) in texts.enumerated() { #expect(witness.ended[TakeID(number: number + 1)] == text) }
            #expect(engine.framesFed == microphone.counts.captured)
        }
    }

    @Test(arguments: [0.0, 0.05, 0.2, 0.9, 1.0, 1.1, 1.5, 2.0, 2.1, 2.9, 3.0, 5.0])
    func aCancelAtEveryMomentLeavesNothing(after delay: Double) async throws {
        try await VirtualTime.run { clock in
            let engine = ScriptedEngine([
                .slowStart(.seconds(2)), .volatile("v", at: .seconds(0.5)), .final("f", at: .seconds(3)),
            ])
            let microphone = ScriptedCapturer([.tone(440, for: .seconds(100))]) { $0.startDelay = .seconds(1) }
            let spool = HostileSpool()
            let session = DictationSession(
                engine: engine, capturer: microphone, spool: spool, configuration: shortLimits())
            let witness = Witness(session)
            let start = DictationRuntime.current.task { try? await session.start() }
            await clock.advance(by: .seconds(delay))
            await session.cancel()
            _ = await start.value
            await session.waitUntilSettled()
            await clock.advance(by: .seconds(30))
            #expect(session.transcript.isEmpty)
            #expect(session.state == .idle)
            #expect(engine.openSessions == 0)
            #expect(spool.disk.value.events.isEmpty)
            #expect(spool.openWriters.value == 0)
            #expect(witness.problems == [])
            #expect(witness.shown.transcript.isEmpty && witness.shown.volatileTail.isEmpty)
        }
    }

    @Test(arguments: [0.0, 0.05, 0.2, 0.9, 1.0, 1.1, 1.5, 2.0, 2.1, 3.0])
    func aStartWhoseTaskIsCancelledLeavesNothing(after delay: Double) async throws {
        try await VirtualTime.run { clock in
            let engine = ScriptedEngine([.slowStart(.seconds(2))])
            let microphone = ScriptedCapturer([.tone(440, for: .seconds(100))]) { $0.startDelay = .seconds(1) }
            let session = DictationSession(engine: engine, capturer: microphone, configuration: shortLimits())
            let witness = Witness(session)
            let start = DictationRuntime.current.task { try? await session.start() }
            await clock.advance(by: .seconds(delay))
            start.cancel()
            _ = await start.value
            // A start that returned before it was cancelled keeps its take.
            if session.state == .recording { _ = await session.stop() }
            await clock.advance(by: .seconds(30))
            #expect(session.state == .idle)
            #expect(engine.openSessions == 0)
            #expect(witness.problems == [])
        }
    }
}

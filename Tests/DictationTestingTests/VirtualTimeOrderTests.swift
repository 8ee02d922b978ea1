import DictationCapture
import DictationCore
import DictationEngines
import DictationTesting
import Testing

/// What is the same in every run.
@Suite struct VirtualTimeOrderTests {
    @Test(arguments: [nil, 1, 2, 3] as [UInt64?])
    func theMainActorTakesTurnsWithTheSimulation(seed: UInt64?) async throws {
        var outcomes: Set<[String]> = []
        for _ in 0..<100 { outcomes.insert(try await mainActorOrder(seed)) }
        #expect(outcomes.count == 1)
    }

    private func mainActorOrder(_ seed: UInt64?) async throws -> [String] {
        try await VirtualTime.run(seed: seed) { @MainActor clock in
            let runtime = DictationRuntime.current
            let order = Watched<[String]>([])
            for number in 0..<5 {
                runtime.task {
                    order.change { $0.append("pool \(number)") }
                    await MainActor.run { order.change { $0.append("pool \(number) on main") } }
                    try? await runtime.sleep(.milliseconds(number))
                    order.change { $0.append("pool \(number) late") }
                }
                Task { @MainActor in order.change { $0.append("main \(number)") } }
                runtime.task { @MainActor @Sendable in
                    order.change { $0.append("both \(number) on main") }
                    await runtime.task { order.change { $0.append("both \(number)") } }.value
                    order.change { $0.append("both \(number) on main again") }
                }
            }
            await clock.advance(by: .milliseconds(3))
            order.change { $0.append("advanced") }
            await clock.advance(by: .milliseconds(50))
            #expect(order.value.count == 36)
            return order.value
        }
    }

    @Test(arguments: [nil, 1] as [UInt64?])
    func aModelShowsTheSameInEveryRun(seed: UInt64?) async throws {
        var outcomes: Set<[String]> = []
        for _ in 0..<30 { outcomes.insert(try await shown(seed)) }
        #expect(outcomes.count == 1)
    }

    private func shown(_ seed: UInt64?) async throws -> [String] {
        try await VirtualTime.run(seed: seed) { @MainActor clock in
            let model = DictationModel(
                DictationSession(
                    engine: ScriptedEngine(), capturer: ScriptedCapturer([.tone(440, for: .seconds(60))])))
            var shown: [String] = []
            async let start: Void = model.start()
            for _ in 0..<40 {
                await DictationRuntime.current.task {}.value
                shown.append("\(model.state) \(model.isEngineReady) \(model.text)")
            }
            await start
            await clock.advance(by: .seconds(2))
            shown.append(model.text)
            await model.stop()
            return shown + [model.text]
        }
    }

    @Test func whatADetachedTaskStartsKeepsVirtualTime() async throws {
        try await VirtualTime.run { clock in
            let engine = ScriptedEngine([.final("one", at: .seconds(1)), .slowFinish(.seconds(5))])
            let session = DictationSession(
                engine: engine, capturer: ScriptedCapturer([.tone(440, for: .seconds(60))]))
            _ = try await clock.hold { try await Task.detached { try await session.start() }.value }
            await clock.advance(by: .seconds(3))
            let began = clock.now
            let transcript = await session.stop()
            #expect(transcript.text == "one")
            #expect(transcript.isComplete)
            #expect((.seconds(5)..<(.seconds(6))).contains(clock.now - began))
        }
    }

    @Test func anEngineThatADetachedTaskCallsKeepsVirtualTime() async throws {
        try await VirtualTime.run { clock in
            let engine = ScriptedEngine([.final("one", at: .seconds(1)), .slowFinish(.seconds(5))])
            let second = AudioBuffer(silence: 16_000, format: .speech)
            let texts = try await Task.detached {
                let session = try await engine.makeSession(.liveDictation())
                try session.start(AudioInput([second]))
                #expect(try await session.finish() == .complete)
                var texts: [String] = []
                for try await case .final(let result) in session.results { texts.append(result.text) }
                return texts
            }.value
            #expect(texts.contains("one"))
            // Time goes on while the detached task works.
            #expect(clock.now.offset >= .seconds(5))
        }
    }

    @Test func aTasksRuntimeIsTheOneThatStartedIt() async throws {
        try await VirtualTime.run { _ in
            let runtime = DictationRuntime.current
            let isSame = await Task.detached {
                await runtime.task { DictationRuntime.current.executor === runtime.executor }.value
            }.value
            #expect(isSame)
            #expect(runtime.executor != nil)
        }
    }
}

@Suite struct VirtualTimeHoldTests {
    @Test func timeStandsStillWhileItIsHeld() async throws {
        try await VirtualTime.run { clock in
            let runtime = DictationRuntime.current
            let ticks = Watched(0)
            runtime.task {
                while !Task.isCancelled {
                    try? await runtime.sleep(.milliseconds(20))
                    ticks.change { $0 += 1 }
                }
            }
            await clock.advance(by: .milliseconds(100))
            let answer = await clock.hold {
                await Task.detached {
                    await runtime.task { ticks.value }.value
                }.value
            }
            #expect(answer == 5)
            try await clock.hold { try await Task.sleep(for: .milliseconds(5)) }
            #expect(clock.now.offset == .milliseconds(100))
            await clock.advance(by: .milliseconds(100))
            #expect(ticks.value == 10)
        }
    }
}

@Suite struct VirtualTimeLatenessTests {
    /// Whether a limit of 5 ms expired on work that took 4.8 ms and some turns.
    private func isTimedOut(_ seed: UInt64?, lateness: Duration) async throws -> Bool {
        try await VirtualTime.run(seed: seed, lateness: lateness) { _ in
            let runtime = DictationRuntime.current
            let work = runtime.task {
                await runtime.within(.milliseconds(5)) {
                    try? await runtime.sleep(.microseconds(4_800))
                    for _ in 0..<3 { await runtime.task {}.value }
                    return true
                }
            }
            return await work.value == nil
        }
    }

    @Test func aLimitMayExpireWhileWorkIsReady() async throws {
        var expired = 0
        for seed in 0..<100 where try await isTimedOut(UInt64(seed), lateness: .milliseconds(10)) { expired += 1 }
        #expect(expired > 0)
        #expect(expired < 90)
        for seed in 0..<100 { #expect(try await !isTimedOut(UInt64(seed), lateness: .zero)) }
        #expect(try await !isTimedOut(nil, lateness: .seconds(10)))
    }

    @Test(arguments: 0..<50 as Range<UInt64>)
    func whatIsDueHasHappenedWhenAnAdvanceReturns(seed: UInt64) async throws {
        try await VirtualTime.run(seed: seed, lateness: .milliseconds(7)) { clock in
            let runtime = DictationRuntime.current
            let ran = Watched<[(due: Duration, at: Duration)]>([])
            for number in 1...200 {
                runtime.task {
                    let due = Duration.milliseconds(number * 37 % 101)
                    try? await runtime.sleep(due - runtime.now())
                    await runtime.task {}.value
                    ran.change { $0.append((due, runtime.now())) }
                }
            }
            await clock.advance(by: .milliseconds(50))
            let due = ran.value
            await clock.advance(by: .milliseconds(100))
            #expect(due.count { $0.due <= .milliseconds(50) } == (1...200).count { $0 * 37 % 101 <= 50 })
            #expect(ran.value.count == 200)
            // The sleeper and what it waits for may each be late.
            #expect(ran.value.allSatisfy { ($0.due...($0.due + .milliseconds(14))).contains($0.at) })
        }
    }
}

extension ManualClock.Instant {
    fileprivate static func - (a: Self, b: Self) -> Duration { b.duration(to: a) }
}

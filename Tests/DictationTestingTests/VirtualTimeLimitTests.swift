import DictationCore
import DictationTesting
import Testing

/// A run of virtual time ends, whatever the code inside does.
@Suite struct VirtualTimeLimitTests {
    @Test(.timeLimit(.minutes(1))) func aJobThatBlocksIsReported() async {
        let isReleased = Monitor(false)
        await #expect(throws: VirtualTimeError.self) {
            try await VirtualTime.run(realTimeLimit: .milliseconds(50)) { clock in
                DictationRuntime.current.task { _ = isReleased.first { $0 ? true : nil } }
                await clock.settle()
            }
        }
        isReleased.change { $0 = true }
    }

    @Test(.timeLimit(.minutes(1))) func aJobThatNeverSuspendsIsReported() async {
        let isReleased = Watched(false)
        await #expect(throws: VirtualTimeError.self) {
            try await VirtualTime.run(realTimeLimit: .milliseconds(50)) { @MainActor clock in
                DictationRuntime.current.task { while !isReleased.value {} }
                await clock.settle()
            }
        }
        // The main actor is free although the job is still running.
        let isFree = await DictationRuntime.system.within(.seconds(30)) { await MainActor.run { true } }
        isReleased.change { $0 = true }
        #expect(isFree == true)
    }

    /// The loop of the capturer in the article about capturers: it ignores that a sleep was cut short.
    @Test(.timeLimit(.minutes(1))) func aLoopThatOutlivesTheBodyEndsWithIt() async throws {
        let ticks = try await VirtualTime.run { clock in
            let runtime = DictationRuntime.current
            let ticks = Watched(0)
            runtime.task {
                while !Task.isCancelled {
                    ticks.change { $0 += 1 }
                    try? await runtime.sleep(.milliseconds(20))
                }
            }
            await clock.advance(by: .seconds(1))
            return ticks.value
        }
        #expect(ticks == 51)
    }

    @Test(.timeLimit(.minutes(1))) func tasksLeftAtTheLimitAreCancelledAndEnd() async throws {
        let ended = Watched(0)
        await #expect(throws: VirtualTimeError.self) {
            try await VirtualTime.run(realTimeLimit: .milliseconds(50)) { _ in
                let runtime = DictationRuntime.current
                for _ in 0..<10 {
                    runtime.task {
                        while !Task.isCancelled { try? await runtime.sleep(.seconds(1)) }
                        ended.change { $0 += 1 }
                    }
                }
                while !Task.isCancelled { try? await runtime.sleep(.seconds(10)) }
                ended.change { $0 += 1 }
            }
        }
        #expect(await ended.first { $0 == 11 ? true : nil } == true)
    }
}

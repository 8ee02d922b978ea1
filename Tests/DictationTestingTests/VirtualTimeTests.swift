import DictationCore
import DictationTesting
import Glibc
import Synchronization
import Testing

@Suite struct VirtualTimeTests {
    @Test func anHourPassesInAMoment() async throws {
        let (ticks, seconds) = try await VirtualTime.run { clock in
            let began = Self.threadSeconds()
            let runtime = DictationRuntime.current
            let ticks = Watched(0)
            runtime.task {
                for _ in 0..<180_000 {
                    guard (try? await runtime.sleep(.milliseconds(20))) != nil else { return }
                    ticks.change { $0 += 1 }
                }
            }
            await clock.advance(by: .seconds(3600))
            #expect(clock.now.offset == .seconds(3600))
            return (ticks.value, Self.threadSeconds() - began)
        }
        #expect(ticks == 180_000)
        #expect(seconds < 10)
    }

    /// The processor time of the thread that virtual time runs on: the tests beside this one are not counted.
    private static func threadSeconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    @Test func theSameSeedGivesTheSameOrder() async throws {
        func order(_ seed: UInt64) async throws -> [Int] {
            try await VirtualTime.run(seed: seed) { clock in
                let order = Watched<[Int]>([])
                for number in 0..<20 { DictationRuntime.current.task { order.change { $0.append(number) } } }
                await clock.settle()
                return order.value
            }
        }
        #expect(try await order(1) == order(1))
        #expect(try await order(1) != order(2))
    }

    @Test func timeWaitsForTheMainActor() async throws {
        try await VirtualTime.run { @MainActor clock in
            var isDone = false
            // Two turns of the main actor. Neither waits: what a plain task waits for ends in the global pool, outside.
            Task { @MainActor in
                Task { @MainActor in isDone = true }
            }
            await clock.settle()
            #expect(isDone)
        }
    }

    @Test func aBodyThatWaitsForNothingIsReported() async {
        await #expect(throws: VirtualTimeError.self) {
            try await VirtualTime.run(realTimeLimit: .milliseconds(50)) { _ in
                _ = await Watched(0).first { $0 > 0 ? true : nil }
            }
        }
    }

    @Test func whatSleepsIsCancelledWhenTheBodyEnds() async throws {
        let wasCancelled = Watched(false)
        try await VirtualTime.run { clock in
            let runtime = DictationRuntime.current
            runtime.task {
                do { try await runtime.sleep(.seconds(10)) } catch { wasCancelled.change { $0 = true } }
            }
            await clock.settle()
        }
        #expect(wasCancelled.value)
    }
}

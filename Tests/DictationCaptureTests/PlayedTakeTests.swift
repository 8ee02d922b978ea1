import DictationCore
import Foundation
import Synchronization
import Testing

@testable import DictationCapture

struct PlayedTakeTests {
    /// A source that blocks until it is told to go on, like a file on a disk that does not answer.
    private struct StuckSource: PlayedSource {
        let reads: Watched<Int>
        let goesOn: DispatchSemaphore

        mutating func next() -> CaptureMove? {
            reads.change { $0 += 1 }
            goesOn.wait()
            return nil
        }
    }

    @Test(.timeLimit(.minutes(1))) func aStopDoesNotWaitForARead() async throws {
        let (reads, goesOn) = (Watched(0), DispatchSemaphore(value: 0))
        let runtime = DictationRuntime.system
        let take = PlayedTake(
            StuckSource(reads: reads, goesOn: goesOn), pacing: .onDemand, capacity: .seconds(1), runtime: runtime,
            counts: Watched(PlayedFrames()), executor: runtime.blockingExecutor("stuck"))
        let reader = Task {
            var events = take.stream.makeAsyncIterator()
            return try await events.next()
        }
        _ = await reads.first { $0 > 0 ? true : nil }
        await take.stop()
        #expect(take.hasEnded)
        goesOn.signal()
        #expect(try await reader.value == nil)
    }
}

import Synchronization
public import Testing

/// Has tests that end in a process of their own take turns.
///
/// Swift Testing waits for such a process in a call that holds a thread of Swift's pool. With two of them on two cores
/// nothing else would go on meanwhile, and tests in real time would come too late.
public struct OneChildAtATime: TestTrait, TestScoping {
    private struct State {
        var isTaken = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private static let state = Mutex(State())

    /// Waits for the test's turn, then runs it.
    @concurrent public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        await Self.take()
        defer { Self.giveBack() }
        try await function()
    }

    private static func take() async {
        await withCheckedContinuation { turn in
            let isMine = state.withLock { state in
                if state.isTaken { state.waiting.append(turn) }
                defer { state.isTaken = true }
                return !state.isTaken
            }
            if isMine { turn.resume() }
        }
    }

    private static func giveBack() {
        let next = state.withLock { state in
            state.isTaken = !state.waiting.isEmpty
            return state.isTaken ? state.waiting.removeFirst() : nil
        }
        next?.resume()
    }
}

extension Trait where Self == OneChildAtATime {
    /// The test ends in a process of its own, and takes turns with others that do.
    public static var oneChildAtATime: Self { OneChildAtATime() }
}

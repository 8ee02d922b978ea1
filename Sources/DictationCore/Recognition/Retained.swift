import Synchronization

/// A value that is emptied when nobody uses it any more, at once or later, as a retention says.
package final class Retained<Value: Sendable>: Sendable {
    private struct State {
        var value: Value
        var users = 0
        /// Tells one idle time from the next.
        var generation = 0
    }

    private let empty: Value
    private let retention: ModelRetention
    private let runtime: DictationRuntime
    private let state: Mutex<State>

    package init(_ empty: Value, _ retention: ModelRetention, runtime: DictationRuntime = .current) {
        self.empty = empty
        self.retention = retention
        self.runtime = runtime
        state = Mutex(State(value: empty))
    }

    package var isInUse: Bool { state.withLock { $0.users > 0 } }

    /// Reads or changes the value.
    package func change<Answer: Sendable>(_ body: (inout Value) -> Answer) -> Answer {
        state.withLock { body(&$0.value) }
    }

    /// Keeps the value until the use ends.
    package func use() -> Use {
        state.withLock { state in
            state.users += 1
            state.generation += 1
        }
        return Use(self)
    }

    /// Keeps the value for as long as it lives.
    package final class Use: Sendable {
        private let retained: Retained
        fileprivate init(_ retained: Retained) { self.retained = retained }
        deinit { retained.endUse() }
    }

    /// Starts the wait for a value that was loaded before anyone uses it.
    package func linger() {
        linger(
            state.withLock { state in
                state.generation += 1
                return state.generation
            })
    }

    private func endUse() {
        let generation = state.withLock { state -> Int? in
            state.users -= 1
            return state.users == 0 ? state.generation : nil
        }
        guard let generation else { return }
        if retention == .whileInUse { remove(generation) } else { linger(generation) }
    }

    private func linger(_ generation: Int) {
        guard case .lingering(let time) = retention else { return }
        runtime.task { [runtime, weak self] in
            do { try await runtime.sleep(time) } catch { return }
            self?.remove(generation)
        }
    }

    private func remove(_ generation: Int) {
        // Freed outside the lock, because it takes a while.
        _ = state.withLock { state -> Value? in
            guard state.users == 0, state.generation == generation else { return nil }
            defer { state.value = empty }
            return state.value
        }
    }
}

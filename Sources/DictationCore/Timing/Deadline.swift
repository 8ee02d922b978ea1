import Synchronization

extension DictationRuntime {
    /// Runs an operation with a time limit.
    ///
    /// When the time runs out or the caller is cancelled, this cancels the operation and does not wait for its end.
    ///
    /// - Parameters:
    ///   - limit: How long to wait for the operation.
    ///   - operation: The operation.
    /// - Returns: The operation's result; `nil` when the time ran out or the caller was cancelled.
    /// - Throws: The operation's error.
    public func within<Success: Sendable, Failure: Error>(
        _ limit: Duration, _ operation: sending @escaping () async throws(Failure) -> Success
    ) async throws(Failure) -> Success? {
        let first = FirstAnswer<Result<Success, Failure>>()
        let work = task { () async -> Result<Success, Failure> in
            do throws(Failure) { return .success(try await operation()) } catch { return .failure(error) }
        }
        let relay = task { first.answer(await work.value) }
        let timer = task {
            do { try await sleep(limit) } catch { return }
            first.answer(nil)
        }
        let answer = await withTaskCancellationHandler {
            await first.value
        } onCancel: {
            first.answer(nil)
        }
        timer.cancel()
        if answer == nil {
            work.cancel()
            relay.cancel()
        }
        return try answer?.get()
    }
}

/// The first of several answers; later ones are ignored.
private final class FirstAnswer<Value: Sendable>: Sendable {
    private enum State {
        case waiting(CheckedContinuation<Value?, Never>?)
        case answered(Value?)
    }
    private let state = Mutex(State.waiting(nil))

    func answer(_ value: Value?) {
        let waiter = state.withLock { state -> CheckedContinuation<Value?, Never>? in
            guard case .waiting(let waiter) = state else { return nil }
            state = .answered(value)
            return waiter
        }
        waiter?.resume(returning: value)
    }

    var value: Value? {
        get async {
            await withCheckedContinuation { continuation in
                let ready = state.withLock { state -> Value?? in
                    if case .answered(let value) = state { return .some(value) }
                    state = .waiting(continuation)
                    return nil
                }
                if let ready { continuation.resume(returning: ready) }
            }
        }
    }
}

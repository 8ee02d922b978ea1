/// Allows one take at a time, even if several tasks call a capturer's `start` and `stop` in any order.
package final class CaptureGate<Opened: Sendable>: Sendable {
    private enum Phase {
        case idle
        case starting(Waiters.ID)
        case running(Opened)
        case stopping

        var isStopping: Bool { if case .stopping = self { true } else { false } }
    }

    private let phase = Watched(Phase.idle)
    private let runtime = DictationRuntime.current
    private let hasEnded: @Sendable (Opened) -> Bool
    private let close: @Sendable (Opened) async -> Void

    /// Creates a gate.
    ///
    /// - Parameters:
    ///   - hasEnded: Returns whether a take has ended by itself.
    ///   - close: Ends a take.
    package init(hasEnded: @escaping @Sendable (Opened) -> Bool, close: @escaping @Sendable (Opened) async -> Void) {
        self.hasEnded = hasEnded
        self.close = close
    }

    /// Waits for a pending stop, then opens a take.
    ///
    /// - Parameter open: Opens the take.
    /// - Throws: `alreadyRunning` if a take runs; `cancelled` if the capturer is stopped or the task is cancelled
    ///   before the take is open; an error of `open`.
    package func start(_ open: () async throws(DictationError) -> Opened) async throws(DictationError) -> Opened {
        let id = try await reserve()
        let take: Opened
        do throws(DictationError) { take = try await open() } catch {
            phase.change { if case .starting(let current) = $0, current == id { $0 = .idle } }
            throw error
        }
        let isStillWanted = phase.change { phase in
            guard case .starting(let current) = phase, current == id else { return false }
            phase = .running(take)
            return true
        }
        guard isStillWanted else {
            await close(take)
            throw DictationError(.cancelled, "The capturer was stopped while it started.")
        }
        return take
    }

    /// Ends the current take, if any, and returns when it has ended.
    package func stop() async {
        let running = phase.change { phase -> Opened? in
            switch phase {
            case .starting: phase = .idle
            case .running(let take):
                phase = .stopping
                return take
            case .idle, .stopping: break
            }
            return nil
        }
        if let running {
            // A separate task completes the stop even if the caller is cancelled.
            await runtime.task { [close] in await close(running) }.value
            phase.change { $0 = .idle }
        } else {
            _ = await phase.first { $0.isStopping ? nil : true }
        }
    }

    private func reserve() async throws(DictationError) -> Waiters.ID {
        let id = Waiters.ID()
        while true {
            let isFree = phase.change { phase -> Bool? in
                switch phase {
                case .stopping: return nil
                case .starting: return false
                case .running(let take) where !hasEnded(take): return false
                case .running, .idle:
                    phase = .starting(id)
                    return true
                }
            }
            switch isFree {
            case true?: return id
            case false?:
                throw DictationError(
                    .alreadyRunning, "The capturer is already recording.",
                    recovery: "Stop it before you start it again.")
            case nil:
                guard await phase.first({ $0.isStopping ? nil : true }) != nil else {
                    throw DictationError(.cancelled, "The start was cancelled.")
                }
            }
        }
    }
}

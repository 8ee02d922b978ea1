/// Where the library takes time and threads from: the real ones, or a test's.
///
/// Everything here that waits or starts a task does so through the runtime that was current when it was made.
/// A test sets another one with `VirtualTime` from DictationTesting; an app has no need to touch it.
public struct DictationRuntime: Sendable {
    /// The time since some fixed moment; it never goes back.
    public let now: @Sendable () -> Duration
    /// Waits for a time; throws when the task is cancelled.
    public let sleep: @Sendable (Duration) async throws(CancellationError) -> Void
    /// Where tasks run; `nil` is Swift's shared pool.
    public let executor: (any TaskExecutor)?
    /// Makes somewhere for code that blocks to run, so that it never holds up the shared pool.
    public let blockingExecutor: @Sendable (_ name: String) -> any TaskExecutor

    /// Makes a runtime from its parts.
    public init(
        now: @escaping @Sendable () -> Duration,
        sleep: @escaping @Sendable (Duration) async throws(CancellationError) -> Void,
        executor: (any TaskExecutor)?,
        blockingExecutor: @escaping @Sendable (_ name: String) -> any TaskExecutor
    ) {
        self.now = now
        self.sleep = sleep
        self.executor = executor
        self.blockingExecutor = blockingExecutor
    }

    /// The runtime for what is made from here on.
    @TaskLocal public static var current: DictationRuntime = .system

    /// The machine's own clock and threads.
    public static let system: DictationRuntime = {
        let origin = ContinuousClock.now
        return DictationRuntime(
            now: { ContinuousClock.now - origin },
            sleep: { duration throws(CancellationError) in
                do { try await Task.sleep(for: min(.longestWait, duration)) } catch { throw CancellationError() }
            },
            executor: nil,
            blockingExecutor: { BlockingThread(name: $0) })
    }()

    /// Starts a task on the runtime's executor, at the caller's priority unless there is one. The runtime is the current
    /// one in it, whatever it is where this is called.
    @discardableResult
    public func task<Success: Sendable>(
        priority: TaskPriority? = nil, _ operation: sending @escaping () async -> Success
    ) -> Task<Success, Never> {
        Task(executorPreference: executor, priority: priority) {
            await Self.$current.withValue(self, operation: operation)
        }
    }
}

extension Duration {
    /// As good as for ever; what the system's clocks can still count.
    package static let longestWait = Duration.seconds(10 * 365 * 86_400)
}

/// The clock and the threads that the library uses: the system's, or a test's.
///
/// An object that waits or starts tasks uses the runtime that was ``current`` when the object was created. Tests
/// replace the runtime with `VirtualTime` from DictationTesting; apps don't need it.
public struct DictationRuntime: Sendable {
    /// Returns the time since a fixed moment. It never goes back.
    public let now: @Sendable () -> Duration
    /// Waits for a duration; throws when the task is cancelled.
    public let sleep: @Sendable (Duration) async throws(CancellationError) -> Void
    /// The executor of tasks; `nil` is Swift's shared pool.
    public let executor: (any TaskExecutor)?
    /// Creates an executor for code that blocks, so that this code does not block the shared pool.
    public let blockingExecutor: @Sendable (_ name: String) -> any TaskExecutor

    /// Creates a runtime from its parts.
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

    /// The runtime that new objects use.
    @TaskLocal public static var current: DictationRuntime = .system

    /// The runtime with the system's clock and threads.
    public static let system: DictationRuntime = {
        let origin = ContinuousClock.now
        return DictationRuntime(
            now: { ContinuousClock.now - origin },
            sleep: { duration throws(CancellationError) in
                let end = ContinuousClock.now + min(.longestWait, duration)
                // Swift frees a cancelled sleep only when its time is over. So a sleep has steps, and each is four times as long
                // as the one before: a cancelled sleep is freed soon, and a long one hardly ever wakes the thread.
                var step = Duration.seconds(1)
                repeat {
                    let rest = end - ContinuousClock.now
                    do { try await Task.sleep(for: min(step, rest)) } catch { throw CancellationError() }
                    step *= 4
                } while ContinuousClock.now < end
            },
            executor: nil,
            blockingExecutor: { BlockingThread(name: $0) })
    }()

    /// Starts a task on the runtime's executor. In the task, this runtime is the ``current`` one.
    ///
    /// - Parameters:
    ///   - priority: The task's priority; `nil` is the caller's.
    ///   - operation: The task's work.
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
    /// Ten years: practically forever, but short enough for the system's clocks.
    package static let longestWait = Duration.seconds(10 * 365 * 86_400)
}

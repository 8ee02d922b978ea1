/// Runs work that blocks, such as reading files, on a separate thread.
package struct BlockingWork: Sendable {
    private let thread: any TaskExecutor

    /// Creates a thread with a runtime's `blockingExecutor`. The name shows in `top -H` and debuggers.
    package init(_ name: String, runtime: DictationRuntime = .current) { thread = runtime.blockingExecutor(name) }

    /// Uses a thread that other work uses too.
    package init(on thread: any TaskExecutor) { self.thread = thread }

    /// Runs the work on the thread and returns its result. When the caller is cancelled, `Task.isCancelled` becomes
    /// true in the work.
    package func run<Answer: Sendable>(
        _ body: @escaping @Sendable () throws(DictationError) -> Answer
    ) async throws(DictationError) -> Answer {
        let task = Task(executorPreference: thread) { () async -> Result<Answer, DictationError> in
            do throws(DictationError) { return .success(try body()) } catch { return .failure(error) }
        }
        let result = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        return try result.get()
    }
}

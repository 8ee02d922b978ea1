/// Runs work that blocks, such as reading files, on a thread of its own.
package struct BlockingWork: Sendable {
    private let thread: any TaskExecutor

    /// Takes a thread from a runtime. The name shows in `top -H` and debuggers.
    package init(_ name: String, runtime: DictationRuntime = .current) { thread = runtime.blockingExecutor(name) }

    /// Runs on a thread that other work uses, too.
    package init(on thread: any TaskExecutor) { self.thread = thread }

    /// Runs the work on the thread. When the caller is cancelled, `Task.isCancelled` becomes true in the work.
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

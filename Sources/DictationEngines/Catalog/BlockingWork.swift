#if ModelCatalog
import DictationCore

/// A thread for work on files.
struct BlockingWork: Sendable {
    let executor: any TaskExecutor

    /// Does the work on the thread; it can ask `Task.isCancelled`.
    func run<Answer: Sendable>(
        _ body: @escaping @Sendable () throws(DictationError) -> Answer
    ) async throws(DictationError) -> Answer {
        let task = Task(executorPreference: executor) { () async -> Result<Answer, DictationError> in
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
#endif

import DictationCore

/// Runs blocking work on a thread that may block. Without a thread, runs it directly.
func run<Answer: Sendable>(
    on thread: (any TaskExecutor)?, _ body: @escaping @Sendable () throws(DictationError) -> Answer
) async throws(DictationError) -> Answer {
    guard let thread else { return try body() }
    return try await Task(executorPreference: thread) { () -> Result<Answer, DictationError> in
        do throws(DictationError) { return .success(try body()) } catch { return .failure(error) }
    }.value.get()
}

import DictationCore

/// Runs what blocks on a thread that may block; without one, right here.
func run<Answer: Sendable>(
    on thread: (any TaskExecutor)?, _ body: @escaping @Sendable () throws(DictationError) -> Answer
) async throws(DictationError) -> Answer {
    guard let thread else { return try body() }
    return try await Task(executorPreference: thread) { () -> Result<Answer, DictationError> in
        do throws(DictationError) { return .success(try body()) } catch { return .failure(error) }
    }.value.get()
}

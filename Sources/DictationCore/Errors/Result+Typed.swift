extension Result where Failure == DictationError {
    /// Runs an operation and returns its value or its error.
    package static func of(_ body: () async throws(DictationError) -> Success) async -> Self {
        do throws(DictationError) { return .success(try await body()) } catch { return .failure(error) }
    }
}

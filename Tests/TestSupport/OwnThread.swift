import DictationCore
public import Testing

/// Runs tests that block or that compute for long on threads of their own.
///
/// Swift's pool has as many threads as the machine has cores. On two cores, two such tests would hold up all others, and
/// what has to be in time would come too late.
public struct OwnThread: TestTrait, SuiteTrait, TestScoping {
    /// Each test of a suite has a thread.
    public var isRecursive: Bool { true }

    /// Runs a test on a new thread.
    @concurrent public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(BlockingThread(name: "test")) { try await function() }
    }
}

extension Trait where Self == OwnThread {
    /// The test blocks or computes for long.
    public static var ownThread: Self { OwnThread() }
}

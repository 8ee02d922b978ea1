package import DictationCore
package import Testing

/// The error that something throws; fails the test when it throws none.
package func error(_ body: () async throws -> Void, sourceLocation: SourceLocation = #_sourceLocation) async
    -> DictationError?
{
    do {
        try await body()
        Issue.record("Nothing was thrown.", sourceLocation: sourceLocation)
    } catch let error as DictationError {
        #expect(!error.message.isEmpty && error.recovery != nil, sourceLocation: sourceLocation)
        return error
    } catch {
        Issue.record("\(error) was thrown.", sourceLocation: sourceLocation)
    }
    return nil
}

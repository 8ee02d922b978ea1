import DictationCore
import DictationService

/// A client of the service, which starts the service if a command needs it.
struct ServiceClient: Sendable {
    let client: DictationClient
    private let console: Console

    init(_ invocation: Invocation, _ console: Console) throws {
        client = try DictationClient(path: try socketPath(invocation))
        self.console = console
    }

    /// Gives the service an intent. A service that isn't running has no take.
    func perform(_ intent: DictationIntent) async throws(DictationError) -> DictationAnswer {
        do throws(DictationError) { return try await client.perform(intent) } catch {
            guard error.code == .notRunning else { throw error }
            return .nothing
        }
    }

    /// Returns the status; `nil` while no service is running.
    func statusIfRunning() async throws(DictationError) -> ServiceStatus? {
        guard case .status(let status) = try await perform(.status) else { return nil }
        return status
    }

    /// Asks the service, after starting it if it isn't running.
    func startingService<Answer: Sendable>(
        _ ask: (DictationClient) async throws(DictationError) -> Answer
    ) async throws(DictationError) -> Answer {
        do throws(DictationError) { return try await ask(client) } catch {
            guard error.code == .notRunning else { throw error }
        }
        try await StartedService(socket: client.path).waitUntilReady(client)
        return try await ask(client)
    }
}

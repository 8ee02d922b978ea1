#if Remote
import DictationCore
import Synchronization

/// Repeats a request to a server until it succeeds, by one address after another.
struct RemoteAttempts: Sendable {
    let server: RemoteServer
    let addresses: [RemoteAddress]
    /// Whether a request is sent again to the same address.
    let repeats: Bool
    private let runtime = DictationRuntime.current

    /// The greatest number of requests that carry the audio.
    private static let mostSendings = 2

    init(_ server: RemoteServer, _ addresses: [RemoteAddress], repeats: Bool = true) {
        self.server = server
        self.addresses = addresses
        self.repeats = repeats
    }

    /// Runs a request until it succeeds or a failure is final.
    ///
    /// - Parameters:
    ///   - turn: The place in the list of addresses to begin with.
    ///   - request: Sends the request. It says whether it has sent the audio.
    /// - Throws: The last error, when ``RemoteServer/reconnectTimeout`` is over or the audio was sent twice.
    func run<Answer: Sendable>(
        from turn: Int, _ request: (RemoteAddress, inout Bool) async throws(RemoteFailure) -> Answer
    ) async throws(DictationError) -> Answer {
        let start = runtime.now()
        var (failures, sendings) = (0, 0)
        while true {
            do throws(RemoteFailure) {
                var hasSent = false
                defer { sendings += hasSent ? 1 : 0 }
                return try await request(addresses[abs((turn &+ failures) % addresses.count)], &hasSent)
            } catch {
                failures += 1
                let isRound = failures % addresses.count == 0
                let pause = server.backOff.delay(afterFailures: failures / addresses.count)
                let delay = isRound ? max(pause, error.retryAfter ?? .zero) : .zero
                guard error.isTemporary, sendings < Self.mostSendings, repeats || !isRound,
                    runtime.now() + delay - start < server.reconnectTimeout
                else { throw server.cleaned(error.error) }
                guard (try? await runtime.sleep(delay)) != nil else {
                    throw DictationError(.cancelled, "The request was cancelled.")
                }
            }
        }
    }
}

/// Counts sessions or requests, so that they are spread over the addresses of a server.
final class Turns: Sendable {
    private let count = Mutex(Int.random(in: 0..<1_000))

    /// Returns the place in the list of addresses to begin with.
    func next() -> Int {
        count.withLock { count in
            count &+= 1
            return count
        }
    }
}

extension BlockingWork {
    /// Sends a request on the thread. `hasSent` tells whether it has sent the audio.
    func attempt<Answer: Sendable>(
        _ hasSent: inout Bool, _ body: @escaping @Sendable (inout Bool) throws(RemoteFailure) -> Answer
    ) async throws(RemoteFailure) -> Answer {
        let outcome: (Result<Answer, RemoteFailure>, Bool)
        do throws(DictationError) {
            outcome = try await run { () throws(DictationError) in
                var hasSent = false
                do throws(RemoteFailure) { return (.success(try body(&hasSent)), hasSent) } catch {
                    return (.failure(error), hasSent)
                }
            }
        } catch {
            throw RemoteFailure(error: error, isTemporary: false)
        }
        hasSent = outcome.1
        return try outcome.0.get()
    }
}
#endif

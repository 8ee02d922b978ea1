#if Remote
public import DictationCore
import FoundationEssentials
import Synchronization

extension OpenAIDialect {
    /// Asks a server for its models, and tells its dialect from the answer.
    ///
    /// - Returns: The dialect of vLLM, speaches, LocalAI or whisper.cpp's server; `nil` for any other server.
    /// - Throws: `DictationError` with the code `serverUnavailable` for a server that can't be reached.
    public static func shown(by server: RemoteServer) async throws(DictationError) -> OpenAIDialect? {
        let ports = OpenAIPieces.ports.merging(OpenAIRealtimeDialect.ports) { $1 }
        let addresses = try RemoteAddress.list(of: server, ports: ports)
        let client = WebClient(server)
        let work = BlockingWork("remote")
        let answer = try await RemoteAttempts(server, addresses, repeats: false).run(from: 0) {
            address, hasSent throws(RemoteFailure) in
            try await work.attempt(&hasSent) { hasSent throws(RemoteFailure) in
                let path = OpenAIDialect.openAI.base(of: address.withoutRealtime) + "/models"
                return try client.send(
                    WebRequest(path: path), to: address, timeout: server.responseTimeout, hasSent: &hasSent)
            }
        }
        return OpenAIDialect(shownBy: answer)
    }

    /// Tells a dialect from the answer to a request for the list of models.
    init?(shownBy answer: WebAnswer) {
        struct List: Decodable {
            struct Model: Decodable {
                var owner: String?
                var task: String?
                var created: Double?

                enum CodingKeys: String, CodingKey {
                    case owner = "owned_by"
                    case task, created
                }
            }
            var data: [Model]
        }
        // whisper.cpp's servers have no list, and name themselves in every answer.
        if let name = answer.headers["server"], ["whisper.cpp", "parakeet.cpp"].contains(name) {
            self = .whisperServer
            return
        }
        guard let models = try? JSONDecoder().decode(List.self, from: Data(answer.body)).data, !models.isEmpty else {
            return nil
        }
        if models.contains(where: { $0.owner == "vllm" }) {
            self = .vLLM
        } else if models.contains(where: { $0.task != nil }) {
            self = .speaches
        } else if models.allSatisfy({ $0.owner == nil && $0.created == nil }) {
            self = .localAI
        } else {
            return nil
        }
    }
}

/// The dialect of a server: the chosen one, or what the server shows when it is asked for the first time.
final class KnownDialect: Sendable {
    private let server: RemoteServer
    private let known: Mutex<OpenAIDialect?>

    init(_ dialect: OpenAIDialect?, of server: RemoteServer) {
        self.server = server
        known = Mutex(dialect)
    }

    /// Returns the dialect.
    ///
    /// - Throws: `DictationError` for a server that has to be asked and can't be reached.
    func value() async throws(DictationError) -> OpenAIDialect {
        if let dialect = known.withLock({ $0 }) { return dialect }
        let dialect = try await OpenAIDialect.shown(by: server) ?? .openAI
        known.withLock { $0 = dialect }
        return dialect
    }
}

extension RemoteAddress {
    /// The address without the path of the realtime interface.
    fileprivate var withoutRealtime: RemoteAddress {
        guard path.contains("realtime") else { return self }
        var address = self
        address.path = "/"
        return address
    }
}
#endif

#if Remote
public import DictationCore
import FoundationEssentials
import Synchronization

/// What a server shows when it is asked for its models.
struct ShownServer: Sendable {
    /// The dialect; `nil` for any other server than those that show it.
    var dialect: OpenAIDialect?
    /// The models that recognize speech, as far as the server tells; empty without a list.
    var models: [RemoteModel]

    /// Asks a server.
    ///
    /// - Throws: `DictationError` with the code `serverUnavailable` for a server that can't be reached.
    init(_ server: RemoteServer) async throws(DictationError) {
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
        self.init(dialect: OpenAIDialect(shownBy: answer), models: OpenAIAnswer.models(in: answer.body))
    }

    init(dialect: OpenAIDialect?, models: [RemoteModel]) { (self.dialect, self.models) = (dialect, models) }

    /// Returns the model for a user who names none: the usual one if the server lists it, or else the first of the list.
    /// Without a list it is the usual one.
    func model(usual: String?) -> String? {
        models.contains { $0.name == usual } ? usual : models.first?.name ?? usual
    }
}

extension OpenAIDialect {
    /// Asks a server for its models, and tells its dialect from the answer.
    ///
    /// - Returns: The dialect of vLLM, speaches, LocalAI or whisper.cpp's server; `nil` for any other server.
    /// - Throws: `DictationError` with the code `serverUnavailable` for a server that can't be reached.
    public static func shown(by server: RemoteServer) async throws(DictationError) -> OpenAIDialect? {
        try await ShownServer(server).dialect
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

/// The dialect and the model of a server: the chosen ones, or what the server shows when it is asked for the first time.
final class KnownServer: Sendable {
    typealias Choice = (dialect: OpenAIDialect, model: String?)

    private let server: RemoteServer
    private let model: String?
    private let known: Mutex<Choice?>

    init(_ dialect: OpenAIDialect?, model: String?, of server: RemoteServer) {
        (self.server, self.model) = (server, model)
        known = Mutex(dialect.map { ($0, model ?? $0.usualModel) })
    }

    /// Returns the dialect, and the model that a request names.
    ///
    /// - Throws: `DictationError` for a server that has to be asked and can't be reached.
    func value() async throws(DictationError) -> Choice {
        if let known = known.withLock({ $0 }) { return known }
        let shown = try await ShownServer(server)
        let dialect = shown.dialect ?? .openAI
        let choice = (dialect, model ?? dialect.usualModel.flatMap { shown.model(usual: $0) })
        known.withLock { $0 = choice }
        return choice
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

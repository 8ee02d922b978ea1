#if Remote
import DictationCore
import Testing

@testable import DictationRemote

/// What a server with the OpenAI interface takes, refuses and answers, in the form that its source gives it.
///
/// Each exchange is about the words 1 to 3 of ``CodedSpeech``.
struct RecordedServer: Sendable, CustomTestStringConvertible {
    typealias Request = FakeOpenAIServer.Request
    typealias Reply = FakeOpenAIServer.Reply

    /// A request that is understood, and its answer.
    struct Exchange: Sendable, CustomTestStringConvertible {
        var testDescription: String
        /// Whether the times of words are wanted.
        var wordTimes = false
        /// Whether the text is wanted while the server recognizes.
        var streams = false
        /// The fields that the request must have, and no others.
        var fields: [String: [String]]
        var reply: Reply
        var text = CodedSpeech.text(1..<4)
        /// The milliseconds at which the words begin, if they are told.
        var starts: [Int] = []
    }

    /// An answer without a transcript.
    struct Failure: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var streams = false
        var reply: Reply
        /// A part of the error's message.
        var message: String
        var code: DictationError.Code
    }

    /// The server, and what was read of it.
    var testDescription: String
    var dialect: OpenAIDialect
    /// The name of the model that the user chooses; `nil` for none.
    var model: String?
    /// The answer to a request for the list of models.
    var models: Reply
    /// Whether that shows the dialect.
    var showsDialect = true
    /// The answer to a request for a path that the server does not have.
    var missing: Reply
    /// Returns why the server refuses a request; `nil` if it doesn't.
    var refusal: @Sendable (Request) -> Reply?
    var exchanges: [Exchange]
    var failures: [Failure] = []

    static let all: [RecordedServer] = [openAI, speaches, localAI, vLLM, whisperServer, nim]

    /// A server that gives one answer to all requests that it understands.
    func answering(_ reply: Reply) -> FakeOpenAIServer {
        FakeOpenAIServer { request in
            let parts = request.line.split(separator: " ").map(String.init)
            if parts.first == "GET" { return parts[1] == "/v1/models" ? models : missing }
            guard parts[1] == dialect.basePath + dialect.path else { return missing }
            return refusal(request) ?? reply
        }
    }

    func engine(_ server: LoopbackServer, streams: Bool) throws -> RemoteEngine {
        var remote = RemoteServer("http://127.0.0.1:\(server.port)")
        (remote.proxy, remote.backOff) = ("", BackOff(first: .milliseconds(1), longest: .milliseconds(20)))
        return try RemoteEngine(.openAI, remote, locales: ["en-US"]) {
            $0.dialect = dialect
            $0.dialect?.streams = streams
            $0.model = model
        }
    }
}

extension RecordedServer.Reply {
    /// An answer as JSON.
    static func json(_ body: String, status: String = "200 OK", headers: String = "server: uvicorn\r\n") -> Self {
        .init(status: status, headers: headers, body: body)
    }

    /// An answer as a text.
    static func text(_ body: String, status: String, headers: String) -> Self {
        .init(status: status, type: "text/plain", headers: headers, body: body)
    }

    /// An answer as events.
    static func events(_ data: String..., headers: String = "server: uvicorn\r\n") -> Self {
        .init(
            type: "text/event-stream; charset=utf-8", headers: headers,
            body: data.map { "data: \($0)\n\n" }.joined())
    }
}
#endif

#if Remote
import DictationCore
import Testing

@testable import DictationRemote

/// The engine in the conversations that the sources of real servers describe.
@Suite struct RecordedServerTests {
    /// An exchange or a failure of a server.
    struct Case<Part: Sendable & CustomTestStringConvertible>: Sendable, CustomTestStringConvertible {
        var server: RecordedServer
        var part: Part
        var testDescription: String { "\(server.testDescription): \(part.testDescription)" }
    }

    private static let exchanges = RecordedServer.all.flatMap { server in
        server.exchanges.map { Case(server: server, part: $0) }
    }
    private static let failures = RecordedServer.all.flatMap { server in
        server.failures.map { Case(server: server, part: $0) }
    }
    private static let buffers = CodedSpeech.buffers(words: 1..<4)

    @Test(arguments: exchanges) func eachExchangeIsUnderstood(_ conversation: Case<RecordedServer.Exchange>)
        async throws
    {
        let (recorded, exchange) = (conversation.server, conversation.part)
        let fake = recorded.answering(exchange.reply)
        let server = try fake.start()
        let engine = try recorded.engine(server, streams: exchange.streams)
        var options = RecognitionOptions()
        options.wordTimes = exchange.wordTimes
        options.volatileResults = exchange.streams
        let heard = await hear(Self.buffers, with: engine, options)
        #expect(heard.text == exchange.text && heard.error == nil, "\(heard)")
        let starts = heard.finals.flatMap(\.words).compactMap { $0.range?.lowerBound }
        #expect(starts.map { Int(($0 / .milliseconds(1)).rounded()) } == exchange.starts, "\(heard)")
        let dialect = recorded.dialect
        let request = try #require(fake.requests.all.first)
        #expect(fake.requests.all.count == 1 && request.line == "POST \(dialect.basePath)\(dialect.path) HTTP/1.1")
        #expect(request.fields == exchange.fields)
        #expect(request.file.name == (dialect.takesFLAC ? "speech.flac" : "speech.wav"))
        #expect(request.words.map(\.number) == [1, 2, 3])
    }

    @Test(arguments: failures) func eachFailureIsClear(_ conversation: Case<RecordedServer.Failure>) async throws {
        let (recorded, failure) = (conversation.server, conversation.part)
        let server = try recorded.answering(failure.reply).start()
        let engine = try recorded.engine(server, streams: failure.streams)
        var options = RecognitionOptions()
        options.volatileResults = failure.streams
        let heard = await hear(Self.buffers, with: engine, options)
        // What a broken stream had shown stays, and says that it is not all.
        #expect(heard.error?.code == failure.code && heard.finals.allSatisfy { !$0.isComplete }, "\(heard)")
        #expect(heard.error?.message.contains(failure.message) == true, "\(heard)")
    }

    /// Each server gives no text for most of what is meant for others, so the dialects are needed.
    @Test(arguments: RecordedServer.all) func anotherDialectGivesNoText(_ recorded: RecordedServer) async throws {
        let exchange = try #require(recorded.exchanges.first)
        let alike = Self.alike[recorded.dialect.name, default: []] + [recorded.dialect.name]
        for dialect in OpenAIDialect.all where !alike.contains(dialect.name) {
            var other = recorded
            other.dialect = dialect
            let server = try recorded.answering(exchange.reply).start()
            let heard = await hear(Self.buffers, with: try other.engine(server, streams: false), RecognitionOptions())
            #expect(heard.text != exchange.text && heard.error?.recovery != nil, "\(dialect.name): \(heard)")
        }
    }

    /// The dialects whose requests a server may take, besides its own.
    private static let alike = [
        "openai": ["speaches", "localai"], "speaches": ["openai", "localai", "vllm"],
    ]

    @Test(arguments: RecordedServer.all) func theDialectShows(_ recorded: RecordedServer) async throws {
        let exchange = try #require(recorded.exchanges.first)
        let fake = recorded.answering(exchange.reply)
        let server = try fake.start()
        for scheme in ["http", "ws"] {
            var remote = RemoteServer("\(scheme)://127.0.0.1:\(server.port)")
            (remote.proxy, remote.token) = ("", SecretText("swordfish"))
            let shown = try await OpenAIDialect.shown(by: remote)
            #expect(shown == (recorded.showsDialect ? recorded.dialect : nil))
            var choice = RemoteEngine.Configuration(.openAI, server: remote, locales: ["en-US"])
            choice.dialect = nil
            await choice.findDialect()
            #expect(choice.dialect == shown ?? .openAI)
            choice.dialect = .nim
            await choice.findDialect()
            #expect(choice.dialect == .nim, "A chosen dialect stays.")
        }
        #expect(fake.requests.all.map(\.line) == Array(repeating: "GET /v1/models HTTP/1.1", count: 4))
        #expect(fake.requests.all.allSatisfy { $0.headers["authorization"] == "Bearer swordfish" })
    }

    /// Without a named model, the client takes what the server lists.
    @Test(arguments: [
        (["served"], "served", false), (["first", "second", "third"], "first", true),
        (["first", "whisper-1"], "whisper-1", false), ([], "whisper-1", false),
    ])
    func aServersOnlyOrFirstModelIsTaken(names: [String], model: String, isSaid: Bool) async throws {
        let models = names.map { #"{"id":"\#($0)","object":"model","created":1,"owned_by":"somebody"}"# }
        let fake = FakeOpenAIServer { request in
            request.line.hasPrefix("GET")
                ? .init(body: #"{"object":"list","data":[\#(models.joined(separator: ","))]}"#)
                : .init(body: #"{"text":"\#(request.text)"}"#)
        }
        let server = try fake.start()
        let remote = RemoteServer("http://127.0.0.1:\(server.port)")
        for dialect in [nil, OpenAIDialect.openAI] {
            var choice = RemoteEngine.Configuration(.openAI, server: remote, locales: ["en-US"])
            choice.dialect = nil
            choice.dialect = dialect
            let notice = await choice.findDialect()
            #expect(choice.model == model && (notice != nil) == isSaid, "\(notice ?? "")")
            if isSaid { #expect(names.allSatisfy { notice?.contains("“\($0)”") == true }, "\(notice ?? "")") }
            let again = await choice.findDialect()
            #expect(again == nil && choice.model == model)
        }
        // An engine that was made before its server could be asked.
        let engine = try RemoteEngine(.openAI, remote, locales: ["en-US"]) { $0.dialect = nil }
        let heard = await hear(Self.buffers, with: engine, RecognitionOptions())
        #expect(heard.text == CodedSpeech.text(1..<4) && heard.error == nil, "\(heard)")
        #expect(fake.requests.all.last?.fields["model"] == [model])
    }

    @Test func aModelForSomethingElseIsNotTaken() {
        let speaches = Array(RecordedServer.speaches.models.body.utf8)
        #expect(OpenAIAnswer.models(in: speaches).map(\.name) == ["Systran/faster-whisper-tiny.en"])
    }

    /// A service may start before its server does.
    @Test(arguments: RecordedServer.all.filter(\.showsDialect))
    func anEngineWithoutADialectAsksBeforeItsFirstRequest(_ recorded: RecordedServer) async throws {
        let exchange = try #require(recorded.exchanges.first)
        let fake = recorded.answering(exchange.reply)
        let server = try fake.start()
        var remote = RemoteServer("http://127.0.0.1:\(server.port)")
        remote.proxy = ""
        let engine = try RemoteEngine(.openAI, remote, locales: ["en-US"]) {
            ($0.dialect, $0.model) = (nil, recorded.model)
        }
        #expect(engine.capabilities.features == [.dictation] && fake.requests.all.isEmpty)
        for _ in 0..<2 {
            let heard = await hear(Self.buffers, with: engine, RecognitionOptions())
            #expect(heard.text == exchange.text && heard.error == nil, "\(heard)")
        }
        let post = "POST \(recorded.dialect.basePath)\(recorded.dialect.path) HTTP/1.1"
        #expect(fake.requests.all.map(\.line) == ["GET /v1/models HTTP/1.1", post, post])
    }

    @Test func aServerThatIsNotThereShowsNothing() async throws {
        var remote = RemoteServer("http://127.0.0.1:1")
        remote.proxy = ""
        var choice = RemoteEngine.Configuration(.openAI, server: remote, locales: ["en-US"])
        choice.dialect = nil
        await choice.findDialect()
        #expect(choice.dialect == nil)
    }

    @Test func anAnswerWithoutModelsShowsNothing() {
        for body in [#"{"object":"list","data":[]}"#, "<html>", #"{"error":"Unauthorized"}"#] {
            #expect(OpenAIDialect(shownBy: WebAnswer(status: 200, body: Array(body.utf8))) == nil)
        }
    }
}
#endif

#if Remote
import DictationCapture
import DictationCore
import DictationTesting
import TestSupport
import Testing

@testable import DictationRemote
@testable import DictationServer

/// The answers of servers with the OpenAI interface to any speech. ``RecordedServer`` has all their forms.
private let answers: [String: @Sendable (FakeOpenAIServer.Request) -> FakeOpenAIServer.Reply] = [
    "openai": { request in
        guard request.fields["response_format"] == ["verbose_json"] else {
            return .init(body: #"{"text":"\#(request.text)","usage":{"type":"duration","seconds":2}}"#)
        }
        let words = request.words.map {
            #"{"word":"w\#($0.number)","start":\#($0.second),"end":\#($0.second + 0.2)}"#
        }.joined(separator: ",")
        return .init(
            body:
                #"{"task":"transcribe","language":"english","duration":2.4,"text":"\#(request.text)","words":[\#(words)]}"#
        )
    },
    "speaches": { request in
        if request.fields["stream"] == ["true"] {
            let deltas = request.words.map {
                #"data: {"type":"transcript.text.delta","delta":"w\#($0.number) ","logprobs":null}"# + "\n\n"
            }.joined()
            return .init(
                type: "text/event-stream", body: deltas + #"data: {"type":"transcript.text.done","text":""}"# + "\n\n")
        }
        let words = request.words.map {
            #"{"start":\#($0.second),"end":\#($0.second + 0.2),"word":" w\#($0.number)","probability":0.9}"#
        }.joined(separator: ",")
        let isAsked = request.fields["timestamp_granularities[]"]?.contains("word") == true
        return .init(
            body: """
                {"task":"transcribe","language":"en","duration":2.4,"text":" \(request.text)","segments":[],\
                "words":\(isAsked ? "[\(words)]" : "null")}
                """)
    },
]

/// Speaches, asked to stream.
private let streaming: OpenAIDialect = {
    var dialect = OpenAIDialect.speaches
    dialect.streams = true
    return dialect
}()

private func engine(
    _ servers: LoopbackServer..., dialect: OpenAIDialect = .openAI, path: String = "",
    change: (inout RemoteServer) -> Void = { _ in }
) throws -> RemoteEngine {
    var server = RemoteServer(addresses: servers.map { "http://127.0.0.1:\($0.port)\(path)" })
    server.backOff = BackOff(first: .milliseconds(1), longest: .milliseconds(20))
    server.token = SecretText("swordfish")
    server.proxy = ""
    change(&server)
    return try RemoteEngine(.openAI, server, locales: ["en-US"]) { $0.dialect = dialect }
}

@Suite struct OpenAIRequestTests {
    fileprivate static let buffers = CodedSpeech.buffers(words: 1..<7)
    private static let text = CodedSpeech.text(1..<7)

    private func options(for engine: RemoteEngine) -> RecognitionOptions {
        var options = RecognitionOptions()
        options.volatileResults = engine.capabilities.features.contains(.volatileResults)
        return options
    }

    /// The same samples, in fewer bytes.
    @Test func flacIsSmallerThanWAV() throws {
        var (flac, wave) = (0, 0)
        for name in ["jfk", "lj-LJ001-0001", "ls-61-70968-0000"] {
            let samples = try Fixtures.buffers(name).flatMap(\.int16Samples)
            let file = WebRequest.File(samples, asFLAC: true)
            #expect(file.name == "speech.flac" && file.type == "audio/flac")
            let folder = try TemporaryFolder()
            var reader = try AudioFileReader(path: try folder.write(file.bytes, to: "a.flac"))
            var read: [Int16] = []
            while let buffer = try reader.read() { read += buffer.int16Samples }
            #expect(read == samples && reader.format == .speech)
            flac += file.bytes.count
            wave += WebRequest.File(samples, asFLAC: false).bytes.count
        }
        print("audio for servers: \(wave) bytes as WAV, \(flac) bytes as FLAC")
        #expect(flac < wave * 7 / 10)
    }

    @Test func ourServerHasTheDialectOfTheOriginal() async throws {
        let running = try ServerProgram()
        #expect(try await OpenAIDialect.shown(by: RemoteServer(running.address)) == nil)
        await running.server.stop()
        var choice = RemoteEngine.Configuration(.openAI, server: RemoteServer(running.address), locales: ["en-US"])
        choice.dialect = nil
        await choice.findDialect()
        #expect(choice.dialect == nil, "A server that is not there shows nothing.")
    }

    @Test(arguments: [OpenAIDialect.openAI, .speaches])
    func wordsHaveTimes(_ dialect: OpenAIDialect) async throws {
        let server = try FakeOpenAIServer(try #require(answers[dialect.name])).start()
        var options = RecognitionOptions()
        options.wordTimes = true
        let buffers = CodedSpeech.buffers(words: 1..<4) + CodedSpeech.buffers(words: 4..<6, from: .seconds(30))
        let heard = await hear(buffers, with: try engine(server, dialect: dialect), options)
        let words = heard.finals.flatMap(\.words)
        #expect(words.map(\.text) == (1..<6).map { "w\($0)" }, "\(heard)")
        #expect(words.map { $0.range?.lowerBound } == [0, 400, 800, 30_000, 30_400].map { .milliseconds($0) })
    }

    @Test func anAddressWithAPathIsTheBase() async throws {
        let fake = FakeOpenAIServer(answers["openai"]!)
        let server = try fake.start()
        let heard = await hear(Self.buffers, with: try engine(server, path: "/speech/v1/"), RecognitionOptions())
        #expect(heard.text == Self.text)
        #expect(fake.requests.all.first?.line == "POST /speech/v1/audio/transcriptions HTTP/1.1")
        #expect(fake.requests.all.first?.headers["authorization"] == "Bearer swordfish")
    }

    @Test func preparingChecksTheToken() async throws {
        let fake = FakeOpenAIServer { _ in
            .init(status: "401 Unauthorized", body: #"{"error":{"message":"Incorrect API key.","type":"auth"}}"#)
        }
        let server = try fake.start()
        let engine = try engine(server)
        let thrown = await error { try await engine.prepare(RecognitionOptions()) }
        #expect(thrown?.code == .serverRefused && thrown?.message.contains("Incorrect API key.") == true)
        #expect(thrown?.description.contains("swordfish") == false)
        #expect(fake.requests.all.map(\.line) == ["GET /v1/models HTTP/1.1"])
    }

    /// The first answer, and the number of requests until the text is there; 0 for an error.
    @Test(arguments: [
        ("429 Too Many Requests", "Retry-After: 0\r\n", #"{"error":"slow down"}"#, 2),
        ("500 Internal Server Error", "", "oops", 2), ("503 Service Unavailable", "", "", 2),
        ("200 OK", "", "{", 2), ("200 OK", "", #"{"error":{"message":"out of memory"}}"#, 2),
        ("400 Bad Request", "", #"{"error":{"message":"no such model"}}"#, 0),
        ("403 Forbidden", "", "", 0), ("302 Found", "Location: http://127.0.0.1:1/\r\n", "", 0),
    ])
    func failuresAreRepeatedOrReported(_ status: String, _ headers: String, _ body: String, _ count: Int) async throws {
        let fake = FakeOpenAIServer { request in
            request.number == 1 ? .init(status: status, headers: headers, body: body) : answers["openai"]!(request)
        }
        let server = try fake.start()
        let heard = await hear(Self.buffers, with: try engine(server), RecognitionOptions())
        if count > 0 {
            #expect(heard.text == Self.text && heard.error == nil, "\(heard)")
            #expect(fake.requests.all.count == count)
        } else {
            #expect(heard.error?.code == .serverRefused && heard.finals.isEmpty)
            #expect(fake.requests.all.count == 1)
        }
    }

    @Test(arguments: [streaming, .openAI]) func aCutAtAnyByteLosesNothing(_ dialect: OpenAIDialect) async throws {
        let answer = try #require(answers[dialect.name])
        try await inParallel(Array(stride(from: 1, to: 400, by: Trials.step(79)))) { count in
            let fake = FakeOpenAIServer { request in
                var reply = answer(request)
                if request.number == 1 { reply.limit = count }
                return reply
            }
            let cut = try fake.start()
            let engine = try engine(cut, dialect: dialect)
            let heard = await hear(Self.buffers, with: engine, options(for: engine))
            #expect(heard.text == Self.text && heard.error == nil, "cut after \(count) bytes: \(heard)")
            #expect(fake.requests.all.count <= 2)
        }
    }

    @Test func theNextServerTakesOver() async throws {
        let broken = FakeOpenAIServer { _ in .init(status: "502 Bad Gateway", body: "") }
        let (first, second) = (try broken.start(), try FakeOpenAIServer(answers["openai"]!).start())
        let heard = await hear(Self.buffers, with: try engine(first, second), RecognitionOptions())
        #expect(heard.text == Self.text && heard.error == nil)
    }

    @Test func aSilentServerIsGivenUp() async throws {
        let server = try FakeOpenAIServer { _ in nil }.start()
        let engine = try engine(server) { $0.recognitionTimeout = .milliseconds(100) }
        let heard = await hear(Self.buffers, with: engine, RecognitionOptions())
        #expect(heard.error?.code == .serverUnavailable)
    }
}

@Suite(.serialized) struct OpenAIRequestConformanceProofTests {
    @Test(arguments: [streaming, .openAI]) func itConforms(_ dialect: OpenAIDialect) async throws {
        let server = try FakeOpenAIServer(answers["speaches"]!).start()
        let failing = try FakeOpenAIServer { _ in .init(status: "400 Bad Request", body: "") }.start()
        let stalling = try FakeOpenAIServer { _ in nil }.start()
        var options = RecognitionOptions()
        options.volatileResults = dialect.streams
        var suite = EngineConformance(
            try engine(server, dialect: dialect), audio: WyomingEngineTests.buffers, options: options,
            failing: try engine(failing, dialect: dialect), stalling: try engine(stalling, dialect: dialect))
        (suite.shortTimeout, suite.responseTimeout) = (.milliseconds(200), .seconds(20))
        let report = try await suite.run()
        #expect(report.conforms, "\(report)")
    }
}
#endif

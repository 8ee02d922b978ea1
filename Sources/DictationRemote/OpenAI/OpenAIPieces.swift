#if Remote
import DictationCapture
import DictationCore
import DictationEngines
import DictationSystem

/// Has pieces recognized by a server with the OpenAI interface, each with a request.
struct OpenAIPieces: PieceServer {
    let server: RemoteServer
    let addresses: [RemoteAddress]
    private let settings: OpenAISettings
    private let exchange: WebClient
    private let known: KnownServer
    private let turns = Turns()
    private let runtime = DictationRuntime.current

    init(_ settings: OpenAISettings) throws(DictationError) {
        server = settings.server
        self.settings = settings
        known = KnownServer(settings.dialect, model: settings.model, of: server)
        addresses = try RemoteAddress.list(of: server, ports: Self.ports)
        exchange = WebClient(server)
    }

    /// The schemes of addresses, and their ports.
    static let ports = ["http": 80, "https": 443]

    func prepare(_ options: RecognitionOptions) async throws(DictationError) { _ = try await models() }

    /// Asks for the list of models. After that the connection is there, and the token is checked.
    func models() async throws(DictationError) -> [RemoteModel] {
        let dialect = try await known.value().dialect
        guard let path = dialect.modelsPath else { return [] }
        let (exchange, server) = (exchange, server)
        let work = BlockingWork("remote", runtime: runtime)
        return try await RemoteAttempts(server, addresses, repeats: false).run(from: 0) {
            address, hasSent throws(RemoteFailure) in
            try await work.attempt(&hasSent) { hasSent throws(RemoteFailure) in
                let answer = try exchange.send(
                    WebRequest(path: dialect.base(of: address) + path), to: address,
                    timeout: server.responseTimeout, hasSent: &hasSent)
                // Not every server of a dialect has the list.
                guard answer.status != 404 else { return [] }
                try answer.check(address)
                return OpenAIAnswer.models(in: answer.body)
            }
        }
    }

    func recognize(
        _ piece: PauseCutter.Piece, _ options: RecognitionOptions, show: @escaping @Sendable (String) -> Void
    ) async throws(DictationError) -> PieceAnswer {
        let (dialect, model) = try await known.value()
        let streams = dialect.streams && options.volatileResults
        let (exchange, server) = (exchange, server)
        let fields = settings.fields(dialect, model: model, options, streams: streams)
        let work = BlockingWork("remote", runtime: runtime)
        let file = try await work.run { () throws(DictationError) in
            WebRequest.File(AudioBuffer(piece.samples, start: .zero).int16Samples, asFLAC: dialect.takesFLAC)
        }
        return try await RemoteAttempts(server, addresses).run(from: turns.next()) {
            address, hasSent throws(RemoteFailure) in
            try await work.attempt(&hasSent) { hasSent throws(RemoteFailure) in
                let request = WebRequest(
                    path: dialect.base(of: address) + dialect.path, fields: fields, file: file)
                guard streams else {
                    let answer = try exchange.send(
                        request, to: address, timeout: server.recognitionTimeout, hasSent: &hasSent)
                    try answer.check(address)
                    return try OpenAIAnswer.piece(in: answer.body, from: address.text)
                }
                var reader = OpenAIEventReader(from: address.text)
                let answer = try exchange.send(
                    request, to: address, timeout: server.recognitionTimeout, hasSent: &hasSent
                ) { bytes throws(RemoteFailure) in
                    if try reader.receive(bytes) { show(reader.text) }
                }
                try answer.check(address)
                // A server may ignore that it was asked to stream.
                if answer.headers["content-type"]?.contains("json") == true {
                    return try OpenAIAnswer.piece(in: answer.body, from: address.text)
                }
                try reader.finish()
                return PieceAnswer(text: reader.text, isComplete: reader.isComplete)
            }
        }
    }
}

/// How a server with the OpenAI interface is used.
struct OpenAISettings: Sendable, Hashable {
    var server: RemoteServer
    var dialect: OpenAIDialect?
    var model: String?
    var prompt: String?
    var endpointing = RecognitionOptions.Endpointing()
}

extension OpenAISettings {
    /// The fields of a request besides the recording.
    fileprivate func fields(
        _ dialect: OpenAIDialect, model: String?, _ options: RecognitionOptions, streams: Bool
    ) -> [(name: String, value: String)] {
        var fields: [(name: String, value: String)] = []
        if let model { fields.append(("model", model)) }
        let language = dialect.namesRegions ? options.locale.identifier : options.locale.language
        fields.append(("language", language))
        if let prompt { fields.append(("prompt", prompt)) }
        if options.wordTimes, let format = dialect.timedFormat {
            fields.append(("response_format", format))
            fields.append(("timestamp_granularities[]", "word"))
        } else {
            fields.append(("response_format", "json"))
        }
        if streams { fields.append(("stream", "true")) }
        return fields + dialect.fields.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
    }
}

extension OpenAIDialect {
    /// The path of the interface on a server.
    func base(of address: RemoteAddress) -> String {
        guard address.path != "/" else { return basePath }
        // Not a path: that of an address.
        return address.path.last == "/" ? String(address.path.dropLast()) : address.path
    }
}

extension WebAnswer {
    /// Throws the failure of an answer without success.
    fileprivate func check(_ address: RemoteAddress) throws(RemoteFailure) {
        guard !(200..<300).contains(status) else { return }
        throw .status(status, from: address.text, headers: headers, details: OpenAIAnswer.explanation(in: self))
    }
}

extension WebRequest.File {
    /// Makes a recording of samples at 16 kHz.
    init(_ samples: [Int16], asFLAC: Bool) {
        #if SoundFile
        if asFLAC, let bytes = FLACFile.bytes(of: samples, sampleRate: 16_000) {
            self.init(name: "speech.flac", type: "audio/flac", bytes: bytes)
            return
        }
        #endif
        self.init(name: "speech.wav", type: "audio/wav", bytes: WaveBytes.file(of: samples, sampleRate: 16_000))
    }
}
#endif

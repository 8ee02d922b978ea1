#if Remote
import DictationCore
import DictationEngines

/// A server that recognizes whole pieces of speech.
protocol PieceServer: Sendable {
    /// Connects ahead.
    func prepare(_ options: RecognitionOptions) async throws(DictationError)
    /// Asks the server for its models.
    func models() async throws(DictationError) -> [RemoteModel]
    /// Recognizes a piece. The times in the result are those of the piece's audio, from its beginning on.
    ///
    /// - Parameters:
    ///   - piece: The piece.
    ///   - options: The options of the session.
    ///   - show: Receives the text so far, if the server tells it.
    func recognize(
        _ piece: PauseCutter.Piece, _ options: RecognitionOptions, show: @escaping @Sendable (String) -> Void
    ) async throws(DictationError) -> PieceAnswer
}

/// What a server recognized in a piece.
struct PieceAnswer: Sendable, Hashable {
    var text: String
    /// The words, with times from the beginning of the piece on.
    var words: [SpeechResult.Word] = []
    /// Whether the server recognized all of the piece, as far as it tells.
    var isComplete = true

    /// The result for the piece; `nil` without text. Times that lie outside the piece are moved into it.
    func result(for piece: PauseCutter.Piece, wordTimes: Bool) -> SpeechResult? {
        let text = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        guard !text.isEmpty, let speech = piece.speech else { return nil }
        func time(_ time: Duration) -> Duration { min(piece.end, piece.start + max(.zero, min(time, .seconds(600)))) }
        var last = piece.start
        let placed = words.map { word in
            let range = word.range ?? .zero ..< .zero
            let start = max(last, time(range.lowerBound))
            last = start
            return SpeechResult.Word(
                word.text, range: start..<max(start, time(range.upperBound)), confidence: word.confidence)
        }
        return SpeechResult(range: speech, text: text, words: wordTimes ? placed : [], isComplete: isComplete)
    }
}

/// The work of a server that recognizes whole pieces. It cuts speech at pauses.
struct PieceWork: ServerWork {
    let format = AudioFormat.speech
    private let endpointing: RecognitionOptions.Endpointing
    private let server: any PieceServer
    /// The greatest number of requests at once.
    private let limit: Int
    private let runtime = DictationRuntime.current

    init(_ endpointing: RecognitionOptions.Endpointing, _ server: any PieceServer, limit: Int? = nil) {
        (self.endpointing, self.server, self.limit) = (endpointing, server, max(1, limit ?? .max))
    }

    func prepare(_ options: RecognitionOptions) async throws(DictationError) { try await server.prepare(options) }

    func models() async throws(DictationError) -> [RemoteModel] { try await server.models() }

    /// The length by which pieces overlap where there is no pause: enough for a few words.
    private static let overlap = Duration.seconds(2)

    private func cutter(for options: RecognitionOptions) -> PauseCutter {
        PauseCutter(endpointing, overlap: options.wordTimes ? .zero : Self.overlap)
    }

    func makeSession(
        _ options: RecognitionOptions, named name: String
    ) async throws(DictationError) -> any RecognitionSession {
        let cutter = cutter(for: options)
        let (server, runtime, limit) = (server, runtime, min(4, limit))
        return try await DecoderSession.open(name, audioFormat: .speech, options: options, runtime: runtime) {
            PieceDecoder(PieceQueue(server, options, limit: limit, runtime: runtime), cutter)
        }
    }

    /// Transcribes a recording, with several requests at once.
    func transcribe(
        _ input: AudioInput, options: RecognitionOptions, workers: Int, into results: ResultSink
    ) async throws(DictationError) {
        // The text must not depend on the number of requests, so the cuts are those of a session.
        let cutter = cutter(for: options)
        var options = options
        options.volatileResults = false
        let queue = PieceQueue(
            server, options, limit: min(limit, max(1, workers), 256), runtime: runtime)
        var decoder = PieceDecoder(queue, cutter)
        var fed = FedAudio(format: .speech)
        var iterator = input.makeAsyncIterator()
        while let buffer = try await iterator.next() {
            try fed.admit(buffer)
            try await decoder.decode(buffer, into: results)
        }
        try await decoder.finalize(into: results)
    }
}

/// The decoder of a session whose server recognizes whole pieces.
struct PieceDecoder: SpeechDecoder {
    private let queue: PieceQueue
    private var cutter: PauseCutter

    init(_ queue: PieceQueue, _ cutter: PauseCutter) {
        self.queue = queue
        self.cutter = cutter
    }

    mutating func decode(_ buffer: AudioBuffer, into results: ResultSink) async throws(DictationError) {
        for piece in cutter.add(buffer) { try await queue.put(piece, into: results) }
    }

    mutating func finalize(into results: ResultSink) async throws(DictationError) {
        for piece in cutter.flush() { try await queue.put(piece, into: results) }
        try await queue.drain(into: results)
    }
}
#endif

import DictationCore

/// The decoder of free speech with a streaming transducer.
struct StreamingDecoder: ChunkDecoder {
    /// The session's options.
    struct Request: Sendable {
        var volatileResults: Bool
        var wordTimes: Bool
        var wordConfidence: Bool
        var hotwords: String?
        var casing: Casing
        var hasEndpoints: Bool
    }

    private let loaded: LoadedModels<SearchMethod, LoadedRecognizer>.Lease
    private let request: Request
    var feed: AudioFeed
    var stream: OnlineStream?
    private var shown: [FoldedWord] = []
    /// The time through which the audio is only remembered; `nil` after that.
    private var knownThrough: Duration?

    /// The seconds without a token after which a word may be shown. An earlier token could still belong to the word.
    private static let wordEnd = 0.28

    private var recognizer: Recognizer { loaded.model.recognizer }

    init(
        _ loaded: LoadedModels<SearchMethod, LoadedRecognizer>.Lease, feed: AudioFeed, _ request: Request,
        remembering end: Duration = .zero
    ) {
        self.loaded = loaded
        self.feed = feed
        self.request = request
        knownThrough = end > .zero ? end : nil
    }

    /// Whether the audio through a time reaches the audio whose text is new. Times are rounded, by less than a millisecond.
    private func endsKnown(_ time: Duration) -> Bool { knownThrough.map { time + .milliseconds(1) >= $0 } ?? false }

    func makeStream() throws(DictationError) -> OnlineStream {
        try recognizer.makeStream(hotwords: request.hotwords)
    }

    mutating func advance(_ stream: OnlineStream, into results: ResultSink) {
        if request.volatileResults, knownThrough == nil { show(stream, results) }
    }

    mutating func decodeWhatIsReady(
        _ stream: OnlineStream, endsStretch: Bool, into results: ResultSink
    ) async -> Bool {
        var hasDecoded = false
        while recognizer.isReady(stream) {
            await loaded.model.batchDecoder.decodeChunk(of: stream, endsStretch: endsStretch)
            feed.decodedChunk()
            hasDecoded = true
            if request.hasEndpoints, recognizer.isEndpoint(stream) || endsKnown(feed.decodedThrough) {
                settle(stream, through: feed.decodedThrough, into: results)
                recognizer.reset(stream)
                feed.resetOrigin()
            }
        }
        return hasDecoded
    }

    private mutating func show(_ stream: OnlineStream, _ results: ResultSink) {
        var words = words(of: stream)
        if let last = words.last, feed.decodedSeconds - last.lastToken < Self.wordEnd { words.removeLast() }
        guard words != shown else { return }
        shown = words
        guard let range = range(of: words) else {
            return results.emit(.revoked(.zero..<(feed.end ?? .zero)))
        }
        results.emit(.volatile(result(words, range)))
    }

    mutating func settle(_ stream: OnlineStream, through end: Duration, into results: ResultSink) {
        let words = words(of: stream)
        shown = []
        if let range = range(of: words), knownThrough == nil { results.emit(.final(result(words, range))) }
        results.emit(.finalized(through: end))
        if endsKnown(end) { knownThrough = nil }
    }

    private func words(of stream: OnlineStream) -> [FoldedWord] {
        let tokens = recognizer.tokens(of: stream, withConfidence: request.wordConfidence)
        return request.casing.apply(to: tokens.folded().filter(feed.isHeard))
    }

    private func range(of words: [FoldedWord]) -> Range<Duration>? {
        guard let first = words.first, let last = words.last else { return nil }
        let start = feed.time(ofSecond: first.start)
        return start..<max(start, feed.time(ofSecond: last.end))
    }

    private func result(_ words: [FoldedWord], _ range: Range<Duration>) -> SpeechResult {
        let hasWords = request.wordTimes || request.wordConfidence
        let named = words.map { word in
            let start = feed.time(ofSecond: word.start)
            return SpeechResult.Word(
                word.text,
                range: request.wordTimes ? start..<max(start, feed.time(ofSecond: word.end)) : nil,
                confidence: word.confidence)
        }
        return SpeechResult(range: range, text: words.text, words: hasWords ? named : [])
    }
}

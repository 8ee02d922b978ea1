#if SherpaOnnx
import DictationCore

/// Phrases spotted in a stream of anything; each is a final result with the text that was asked for.
struct KeyphraseDecoder: ChunkDecoder {
    private let loaded: Lease<LoadedSpotter>
    private let phrases: KeyphraseList
    private let wordTimes: Bool
    var feed: AudioFeed
    var stream: OnlineStream?

    /// A phrase that is under way began no longer ago than this.
    private static let longestPhrase = Duration.seconds(10)

    init(_ loaded: Lease<LoadedSpotter>, feed: AudioFeed, _ phrases: KeyphraseList, wordTimes: Bool) {
        self.loaded = loaded
        self.feed = feed
        self.phrases = phrases
        self.wordTimes = wordTimes
    }

    func makeStream() throws(DictationError) -> OnlineStream {
        try loaded.model.spotter.makeStream(keywords: phrases.encoded)
    }

    mutating func advance(_ stream: OnlineStream, into results: ResultSink) {
        results.finalized(through: max(.zero, feed.decodedThrough - Self.longestPhrase))
    }

    mutating func settle(_ stream: OnlineStream, through end: Duration, into results: ResultSink) {
        results.finalized(through: end)
    }

    mutating func decodeWhatIsReady(_ stream: OnlineStream, into results: ResultSink) async -> Bool {
        var hasDecoded = false
        while loaded.model.spotter.isReady(stream) {
            await loaded.model.batchDecoder.decodeChunk(of: stream)
            feed.decodedChunk()
            hasDecoded = true
            guard let hit = loaded.model.spotter.hit(in: stream) else { continue }
            feed.moveOrigin(toChunksBack: chunksSinceReset(hit))
            report(hit, results)
            loaded.model.spotter.reset(stream)
            feed.resetOrigin()
        }
        return hasDecoded
    }

    /// How many chunks ago the times of a hit begin. The C library also resets a stream by itself, after a while of
    /// silence, and doesn't say so; but a hit is reported in the chunk where its last token has two blanks after it.
    private func chunksSinceReset(_ hit: KeyphraseSpotter.Hit) -> Int {
        let lastFrame = ((hit.tokens.last?.time ?? 0) / 0.04).rounded() + 2
        return Int(min(1e9, lastFrame * 4 / Double(feed.chunkFrames))) + 1
    }

    private func report(_ hit: KeyphraseSpotter.Hit, _ results: ResultSink) {
        guard phrases.phrases.indices.contains(hit.index) else { return }
        let words = hit.tokens.folded()
        guard let first = words.first, let last = words.last else { return }
        func time(_ second: Double) -> Duration { feed.time(ofSecond: second) }
        let text = phrases.phrases[hit.index].text
        let spoken = text.split(whereSeparator: \.isWhitespace)
        let named = zip(spoken, words).map { word, heard in
            SpeechResult.Word(String(word), range: time(heard.start)..<max(time(heard.start), time(heard.end)))
        }
        let range = time(first.start)..<max(time(first.start), time(last.end))
        results.emit(
            SpeechResult(
                .final, range: range, text: text, words: wordTimes ? named : [], finalizedThrough: range.upperBound)
        )
    }
}

/// Phrases in the form that the C library takes: pieces, threshold, and a number for a name.
struct KeyphraseList: Sendable {
    let phrases: [Keyphrase]
    let encoded: String

    init(
        _ phrases: [Keyphrase], _ pieces: PieceEncoder, defaultSensitivity: Double
    ) throws(DictationError) {
        guard !phrases.isEmpty else {
            throw DictationError(
                .invalidInput, "No keyphrases were given.", recovery: "Give at least one phrase to listen for.")
        }
        var lines: [String] = []
        for (index, phrase) in phrases.enumerated() {
            guard let encoded = pieces.encode(phrase.text) else {
                throw DictationError(
                    .invalidInput, "The model can't spell the keyphrase '\(phrase.text)'.",
                    recovery: "Write it in words, with the letters of the model's language alone.")
            }
            let sensitivity = phrase.sensitivity ?? defaultSensitivity
            guard (0...1).contains(sensitivity) else {
                throw DictationError(
                    .invalidInput, "The sensitivity of the keyphrase '\(phrase.text)' is \(sensitivity).",
                    recovery: "Use 0 to 1.")
            }
            // The library takes 0 for "the default".
            let threshold = max(0.001, 1 - sensitivity)
            lines.append("\(encoded.joined(separator: " ")) #\(threshold) @\(index)")
        }
        self.phrases = phrases
        self.encoded = lines.joined(separator: "\n")
    }
}
#endif

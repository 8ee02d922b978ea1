import DictationCore

/// Spots phrases in audio. Each hit is a final result with the phrase's text.
struct KeyphraseDecoder: ChunkDecoder {
    private let loaded: LoadedModels<String, LoadedSpotter>.Lease
    private let phrases: KeyphraseList
    private let wordTimes: Bool
    var feed: AudioFeed
    var stream: OnlineStream?

    /// The longest phrase. A phrase that is not yet complete began at most this long ago.
    private static let longestPhrase = Duration.seconds(10)

    init(
        _ loaded: LoadedModels<String, LoadedSpotter>.Lease, feed: AudioFeed, _ phrases: KeyphraseList, wordTimes: Bool
    ) {
        self.loaded = loaded
        self.feed = feed
        self.phrases = phrases
        self.wordTimes = wordTimes
    }

    func makeStream() throws(DictationError) -> OnlineStream {
        try loaded.model.spotter.makeStream(keywords: phrases.encoded)
    }

    mutating func advance(_ stream: OnlineStream, into results: ResultSink) {
        results.emit(.finalized(through: max(.zero, feed.decodedThrough - Self.longestPhrase)))
    }

    mutating func settle(_ stream: OnlineStream, through end: Duration, into results: ResultSink) {
        results.emit(.finalized(through: end))
    }

    mutating func decodeWhatIsReady(
        _ stream: OnlineStream, endsStretch: Bool, into results: ResultSink
    ) async -> Bool {
        var hasDecoded = false
        while loaded.model.spotter.isReady(stream) {
            await loaded.model.batchDecoder.decodeChunk(of: stream, endsStretch: endsStretch)
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

    /// Returns how many chunks ago the C library last reset the stream, which is where the times of a hit begin.
    ///
    /// The library also resets a stream by itself after some silence, without a notice. But it reports a hit in the
    /// chunk where two blanks follow the last token, so the last token's time gives the count.
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
        results.emit(.final(SpeechResult(range: range, text: text, words: wordTimes ? named : [])))
    }
}

/// Phrases in the form that the C library reads: each line has pieces, a threshold and a number as the name.
struct KeyphraseList: Sendable {
    let phrases: [RecognitionTask.Keyphrase]
    let encoded: String

    init(
        _ phrases: [RecognitionTask.Keyphrase], _ pieces: PieceEncoder, defaultSensitivity: Double
    ) throws(DictationError) {
        guard !phrases.isEmpty else {
            throw DictationError(
                .invalidInput, "There are no keyphrases.", recovery: "Give at least one keyphrase.")
        }
        var lines: [String] = []
        for (index, phrase) in phrases.enumerated() {
            guard let encoded = pieces.encode(phrase.text) else {
                throw DictationError(
                    .invalidInput, "The model can't spell the keyphrase “\(phrase.text)”.",
                    recovery: "Write it in words, with only the letters of the model's language.")
            }
            let sensitivity = phrase.sensitivity ?? defaultSensitivity
            guard (0...1).contains(sensitivity) else {
                throw DictationError(
                    .invalidInput, "The sensitivity of the keyphrase “\(phrase.text)” is \(sensitivity).",
                    recovery: "Use 0 to 1.")
            }
            // The library would replace 0 by its default.
            let threshold = max(0.001, 1 - sensitivity)
            lines.append("\(encoded.joined(separator: " ")) #\(threshold) @\(index)")
        }
        self.phrases = phrases
        self.encoded = lines.joined(separator: "\n")
    }
}

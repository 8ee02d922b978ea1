import DictationCore

/// The decoder of a session with an offline model. It cuts the audio at pauses and recognizes each stretch when the
/// stretch ends. For volatile results, it also recognizes the current stretch from time to time.
struct OfflineDecoder: SpeechDecoder {
    private let loaded: Lease<OfflineRecognizer>
    private let showsVolatile: Bool
    private var cutter: PauseCutter
    /// The number of samples in the current stretch when it was last recognized.
    private var lookedAt = 0

    /// The least number of new samples, and the least share of new samples, before the current stretch is recognized
    /// again. Each time the model decodes the whole stretch, so a longer stretch is recognized more rarely. Together
    /// this costs about five times as much as recognizing the stretch once.
    private static let leastNews = 9_600
    private static let leastNewsShare = 5

    init(_ loaded: Lease<OfflineRecognizer>, cutter: PauseCutter, showsVolatile: Bool) {
        self.loaded = loaded
        self.cutter = cutter
        self.showsVolatile = showsVolatile
    }

    mutating func decode(_ buffer: AudioBuffer, into results: ResultSink) async throws(DictationError) {
        try settle(cutter.add(buffer), results)
        let count = cutter.count
        guard showsVolatile, count - lookedAt >= max(Self.leastNews, count / Self.leastNewsShare) else { return }
        lookedAt = count
        let piece = cutter.current
        guard let speech = piece.speech else { return }
        let text = try loaded.model.text(of: piece.samples)
        results.emit(.volatile(SpeechResult(range: speech, text: text)))
    }

    mutating func finalize(into results: ResultSink) async throws(DictationError) {
        try settle(cutter.flush(), results)
    }

    private mutating func settle(_ pieces: [PauseCutter.Piece], _ results: ResultSink) throws(DictationError) {
        for piece in pieces { try loaded.model.updates(of: piece).forEach(results.emit) }
        if !pieces.isEmpty { lookedAt = 0 }
    }
}

extension OfflineRecognizer {
    /// Returns the result of a piece. A piece without a sound that stands out has no text: the model does not get it,
    /// because it would make words out of silence.
    func updates(of piece: PauseCutter.Piece) throws(DictationError) -> [SpeechUpdate] {
        guard let speech = piece.speech else { return [.finalized(through: piece.end)] }
        let result = SpeechResult(range: speech, text: try text(of: piece.samples))
        return [.final(result), .finalized(through: piece.end)]
    }
}

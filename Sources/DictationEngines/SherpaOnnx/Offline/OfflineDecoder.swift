#if SherpaOnnx
import DictationCore

/// Speech through a model that hears whole stretches: cut at pauses, each stretch is recognised when it is over, and
/// before that now and then, if someone watches.
struct OfflineDecoder: SpeechDecoder {
    private let loaded: Lease<OfflineRecognizer>
    private let showsVolatile: Bool
    private var cutter: PauseCutter
    /// How much of the stretch under way was heard when it was looked at last.
    private var lookedAt = 0

    /// What has to be new before the stretch is looked at again. Each look hears all of it, so the longer it is the
    /// rarer they are: all looks together cost some five times the stretch.
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
    /// What a piece becomes. The model makes words of silence, so it gets no piece without a sound that stands out.
    func updates(of piece: PauseCutter.Piece) throws(DictationError) -> [SpeechUpdate] {
        guard let speech = piece.speech else { return [.finalized(through: piece.end)] }
        let result = SpeechResult(range: speech, text: try text(of: piece.samples))
        return [.final(result), .finalized(through: piece.end)]
    }
}
#endif

import DictationCore

/// The decoder of a session that asks for the times of words. Each piece of audio is a result of its own.
struct TimedOfflineDecoder: SpeechDecoder {
    private let loaded: LoadedModels<String?, OfflineRecognizer>.Lease
    private let showsVolatile: Bool
    private var cutter: PauseCutter
    private var schedule = LookSchedule()
    private let runtime = DictationRuntime.current

    init(_ loaded: LoadedModels<String?, OfflineRecognizer>.Lease, cutter: PauseCutter, showsVolatile: Bool) {
        self.loaded = loaded
        self.cutter = cutter
        self.showsVolatile = showsVolatile
    }

    mutating func decode(_ buffer: AudioBuffer, into results: ResultSink) async throws(DictationError) {
        try settle(cutter.add(buffer), results)
        guard showsVolatile, schedule.isDue(at: cutter.count) else { return }
        let start = runtime.now()
        let result = try loaded.model.timedResult(of: cutter.current)
        schedule.note(runtime.now() - start)
        if let result { results.emit(.volatile(result)) }
    }

    mutating func finalize(into results: ResultSink) async throws(DictationError) {
        try settle(cutter.flush(), results)
    }

    private mutating func settle(_ pieces: [PauseCutter.Piece], _ results: ResultSink) throws(DictationError) {
        for piece in pieces { try loaded.model.timedUpdates(of: piece).forEach(results.emit) }
        if !pieces.isEmpty { schedule = LookSchedule() }
    }
}

extension OfflineRecognizer {
    /// Returns the final result of a piece with the times of its words.
    func timedUpdates(of piece: PauseCutter.Piece) throws(DictationError) -> [SpeechUpdate] {
        let result = try timedResult(of: piece)
        return [result.map { .final($0) }, .finalized(through: piece.end)].compactMap(\.self)
    }

    /// Returns the text of a piece with the times of its words; `nil` for a piece without a sound that stands out.
    fileprivate func timedResult(of piece: PauseCutter.Piece) throws(DictationError) -> SpeechResult? {
        guard let speech = piece.speech else { return nil }
        let (text, tokens) = try heard(in: piece.samples)
        func time(_ second: Double) -> Duration {
            min(piece.end, piece.start + AudioFormat.speech.duration(ofFrames: Int64(max(0, min(second, 60)) * 16_000)))
        }
        let words = tokens.folded().map { word in
            let start = time(word.start)
            return SpeechResult.Word(word.text, range: start..<max(start, time(word.end)))
        }
        return SpeechResult(range: speech, text: text, words: words)
    }
}

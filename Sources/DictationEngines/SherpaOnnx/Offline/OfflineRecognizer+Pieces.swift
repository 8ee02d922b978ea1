import DictationCore

extension OfflineRecognizer {
    /// The recognition of pieces with this model.
    var recognition: PieceRecognition {
        PieceRecognition { samples throws(DictationError) in try self.text(of: samples) }
    }

    /// Returns the final result of a piece with the times of its words.
    ///
    /// - Parameter look: The last look at the piece.
    func timedUpdates(
        of piece: PauseCutter.Piece, after look: LiveLooks.Look? = nil
    ) throws(DictationError) -> [SpeechUpdate] {
        let result = look?.audio == piece.samples ? look?.result : try timedResult(of: piece)
        return [result.map { .final($0) }, .finalized(through: piece.end)].compactMap(\.self)
    }

    /// Looks at a piece that may still grow, with the times of its words.
    func timedLook(at piece: PauseCutter.Piece) throws(DictationError) -> LiveLooks.Look? {
        try timedResult(of: piece).map { LiveLooks.Look(audio: piece.samples, text: $0.text, result: $0) }
    }

    /// Returns the text of a piece with the times of its words; `nil` for a piece without a sound that stands out.
    private func timedResult(of piece: PauseCutter.Piece) throws(DictationError) -> SpeechResult? {
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

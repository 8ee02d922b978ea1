import DictationCore

/// Recognizes pieces with a model that sometimes runs away: it repeats a phrase again and again, or writes nothing.
///
/// A text that can't be true is recognized again with other silence around the audio, and then in two halves. If the
/// text still can't be true, only its repetitions go.
struct PieceRecognition {
    /// The model.
    let recognize: ([Float]) throws(DictationError) -> String

    /// The silence around the audio. Models for whole stretches expect a stretch to end in silence.
    private struct Silence {
        var before: Double
        var after: Double

        func around(_ samples: [Float]) -> [Float] {
            func zeros(_ seconds: Double) -> [Float] { Array(repeating: 0, count: Int(seconds * 16_000)) }
            return zeros(before) + samples + zeros(after)
        }
    }

    private static let usual = Silence(before: 0.1, after: 0.7)
    private static let others = [Silence(before: 0.5, after: 1), Silence(before: 0, after: 0.3)]
    /// The length of the background that the model gets before and after the speech. It would make words out of more.
    private static let background = Duration.milliseconds(300)
    /// The length of the shortest audio that is recognized in halves, in samples.
    private static let leastToHalve = 2 * 16_000

    /// Returns the audio that the model gets first for a piece; `nil` for a piece without speech.
    static func input(of piece: PauseCutter.Piece) -> [Float]? { Stretch(piece).map { usual.around($0.samples) } }

    /// Returns the text of a piece. Audio in which nothing stands out has no text.
    ///
    /// - Parameter look: The last look at the piece. If it heard the same audio, its text counts.
    func text(of piece: PauseCutter.Piece, after look: LiveLooks.Look? = nil) throws(DictationError) -> String {
        guard let stretch = Stretch(piece) else { return "" }
        let first =
            if let look, look.audio == stretch.samples { look.text } else { try text(of: stretch.samples, Self.usual) }
        return try believable(first, of: stretch, halves: 2)
    }

    /// Looks at a piece that may still grow; `nil` for a piece without speech.
    func look(at piece: PauseCutter.Piece) throws(DictationError) -> LiveLooks.Look? {
        guard let stretch = Stretch(piece) else { return nil }
        let text = try text(of: stretch.samples, Self.usual)
        let isDoubtful = Plausibility(speech: stretch.speech).doubt(about: text) != nil
        return LiveLooks.Look(audio: stretch.samples, text: text, result: isDoubtful ? nil : piece.result(text))
    }

    /// The audio from shortly before the first sound to shortly after the last.
    private struct Stretch {
        var samples: [Float]
        var speech: Duration

        init(samples: [Float], speech: Duration) {
            self.samples = samples
            self.speech = speech
        }

        init?(_ piece: PauseCutter.Piece) {
            guard let speech = piece.speech else { return nil }
            let start = piece.overlap > .zero ? piece.start : speech.lowerBound
            func sample(_ time: Duration) -> Int {
                min(piece.samples.count, max(0, Int(AudioFormat.speech.frames(in: time - piece.start))))
            }
            let range =
                sample(start - PieceRecognition.background)..<sample(speech.upperBound + PieceRecognition.background)
            self.init(samples: Array(piece.samples[range]), speech: speech.upperBound - start)
        }

        /// The stretch in two halves, cut at the quietest place in its middle third.
        var halves: [Stretch] {
            let frame = 1_600
            let third = samples.count / 3
            func power(_ start: Int) -> Float {
                samples[start..<min(samples.count, start + frame)].reduce(0) { $0 + $1 * $1 }
            }
            let quietest = stride(from: third, to: 2 * third, by: frame / 10).min { power($0) < power($1) }
            let middle = min(samples.count, (quietest ?? third) + frame / 2)
            return [samples[..<middle], samples[middle...]].map { half in
                Stretch(samples: Array(half), speech: AudioFormat.speech.duration(ofFrames: Int64(half.count)))
            }
        }
    }

    private func believable(_ first: String, of stretch: Stretch, halves: Int) throws(DictationError) -> String {
        let plausibility = Plausibility(speech: stretch.speech)
        guard let doubt = plausibility.doubt(about: first) else { return first }
        for silence in Self.others {
            let text = try text(of: stretch.samples, silence)
            if plausibility.doubt(about: text) == nil { return text }
        }
        guard doubt != .missing else { return first }
        guard halves > 0, stretch.samples.count >= Self.leastToHalve else { return first.withoutRepetitions }
        var texts: [String] = []
        for half in stretch.halves {
            texts.append(try believable(try text(of: half.samples, Self.usual), of: half, halves: halves - 1))
        }
        let seam = TextSeam(pauseBetween: texts[0], and: texts[1])
        return [seam.first, seam.second].joinedAsWritten
    }

    private func text(of samples: [Float], _ silence: Silence) throws(DictationError) -> String {
        try recognize(silence.around(samples)).withoutNotes
    }
}

extension String {
    /// The text without the notes that models write for music.
    fileprivate var withoutNotes: String {
        let plain = filter { !"♩♪♫♬".contains($0) }
        return plain.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    /// The text with each phrase that comes several times in a row only once.
    var withoutRepetitions: String {
        var parts = SpokenWord.parts(of: self).map { (written: $0, word: SpokenWord(written: $0)) }
        for length in (1...max(1, min(24, parts.count / 2))).reversed() {
            var index = 0
            while index + 2 * length <= parts.count {
                let next = index + length..<index + 2 * length
                if parts[index..<next.lowerBound].map(\.word) == parts[next].map(\.word) {
                    parts.removeSubrange(index..<next.lowerBound)
                } else {
                    index += 1
                }
            }
        }
        return String(parts.map(\.written).joined().dropLast())
    }
}

import DictationCore

/// A part of a text, and the time at which it was said.
struct TimedPiece: Sendable {
    /// The text, with the spaces and punctuation before the next piece.
    var text: String
    var range: Range<Duration>
    /// The engine's confidence, from 0 to 1; `nil` if the engine can't tell.
    var confidence: Double?

    func joined(with next: TimedPiece) -> TimedPiece {
        TimedPiece(
            text: text + next.text, range: range.lowerBound..<max(range.upperBound, next.range.upperBound))
    }

    /// Returns a piece for each word of a result, or `nil` unless all words have times.
    ///
    /// The pieces are parts of the text, so that punctuation stays and Chinese gets no spaces. If the text does not
    /// contain all words, the pieces are the words themselves.
    static func pieces(of segment: SpeechResult) -> [TimedPiece]? {
        guard !segment.words.isEmpty, segment.words.allSatisfy({ $0.range != nil }) else { return nil }
        let texts = slices(of: segment.text, at: segment.words.map(\.text)) ?? segment.words.map { $0.text + " " }
        return zip(texts, segment.words).compactMap { text, word in
            guard let range = word.range, !text.oneLine.isEmpty else { return nil }
            return TimedPiece(text: text, range: range, confidence: word.confidence)
        }
    }

    /// Returns a piece for each word of a text without word times, with a share of the audible time for its width.
    static func estimates(of segment: SpeechResult, without lost: LostAudio = LostAudio()) -> [TimedPiece] {
        let text = segment.text.oneLine + " "
        let starts = text.writtenWords.map(\.startIndex)
        let words = zip(starts, starts.dropFirst() + [text.endIndex]).map { text[$0..<$1] }
        let whole = Int64(max(1, words.reduce(0) { $0 + $1.displayWidth }))
        let parts = lost.audible(segment.range).map { ($0.lowerBound.milliseconds, $0.upperBound.milliseconds) }
        let length = parts.reduce(0) { $0 + $1.1 - $1.0 }
        /// Returns the time of a share of the audio.
        func time(_ width: Int64) -> Duration {
            var rest = length * width / whole
            for (start, end) in parts.dropLast() {
                if rest < end - start { return .milliseconds(start + rest) }
                rest -= end - start
            }
            return .milliseconds((parts.last?.0 ?? segment.range.lowerBound.milliseconds) + rest)
        }
        var width: Int64 = 0
        return words.map { word in
            let start = time(width)
            width += Int64(word.displayWidth)
            return TimedPiece(text: String(word), range: start..<time(width))
        }
    }

    /// Returns the text, cut before each word except the first. Returns `nil` if it does not contain the words in this
    /// order.
    private static func slices(of text: String, at words: [String]) -> [String]? {
        var starts: [String.Index] = []
        var rest = text[...]
        for word in words {
            guard !word.isEmpty, let found = rest.start(of: word) else { return nil }
            // Letters and digits between two words belong to a word without a time.
            guard rest[..<found].allSatisfy({ !$0.isLetter && !$0.isNumber }) else { return nil }
            starts.append(found)
            rest = text[found...].dropFirst(word.count)
        }
        guard rest.allSatisfy({ !$0.isLetter && !$0.isNumber }), !starts.isEmpty else { return nil }
        starts[0] = text.startIndex
        return zip(starts, starts.dropFirst() + [text.endIndex]).map { String(text[$0..<$1]) }
    }
}

extension Substring {
    /// Returns the start of the first occurrence of a word.
    fileprivate func start(of word: String) -> Index? {
        indices.first { self[$0...].starts(with: word) }
    }
}

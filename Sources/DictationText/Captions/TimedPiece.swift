import DictationCore

/// Part of a text, and when it was said.
struct TimedPiece: Sendable {
    /// The text with what separates it from the next piece.
    var text: String
    var range: Range<Duration>

    func joined(with next: TimedPiece) -> TimedPiece {
        TimedPiece(
            text: text + next.text, range: range.lowerBound..<max(range.upperBound, next.range.upperBound))
    }

    /// A piece for each word of a result; `nil` unless all words have times.
    ///
    /// The pieces come from the text, so that punctuation stays and Chinese gets no spaces. Where a word isn't in the
    /// text, the words themselves are the text.
    static func pieces(of segment: SpeechResult) -> [TimedPiece]? {
        let ranges = segment.words.compactMap(\.range)
        guard !ranges.isEmpty, ranges.count == segment.words.count else { return nil }
        let texts = slices(of: segment.text, at: segment.words.map(\.text)) ?? segment.words.map { $0.text + " " }
        return zip(texts, ranges).map { TimedPiece(text: $0, range: $1) }.filter { !$0.text.oneLine.isEmpty }
    }

    /// The text cut before each word but the first; `nil` when the words are not in it in this order.
    private static func slices(of text: String, at words: [String]) -> [String]? {
        var starts: [String.Index] = []
        var rest = text[...]
        for word in words {
            guard !word.isEmpty, let found = rest.start(of: word) else { return nil }
            // Anything but marks and spaces between two words belongs to a word that has no time.
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
    /// Where a word first starts.
    fileprivate func start(of word: String) -> Index? {
        indices.first { self[$0...].starts(with: word) }
    }
}

public import FoundationEssentials

extension Transcript {
    /// The text with the time and confidence of each word, or of each segment where there are no words.
    public var attributedText: AttributedString {
        var text = AttributedString()
        var last = ""
        for segment in segments where !segment.text.isEmpty {
            text += AttributedString(locale.separator(between: last, and: segment.text))
            text += segment.attributedText
            last = segment.text
        }
        return text
    }

    /// The part of the attributed text that is said at a time; for highlighting during playback.
    public static func range(
        in text: AttributedString, saidAt time: Duration
    ) -> Range<AttributedString.Index>? {
        text.runs[\.audioTimeRange].first { range, _ in range?.contains(time) ?? false }?.1
    }
}

extension SpeechResult {
    /// The text with the time and confidence of each word, or of the whole where there are no words.
    ///
    /// Words are found in the text in their order, whatever stands between them. One that the text does not have is left
    /// out.
    public var attributedText: AttributedString {
        var attributed = AttributedString()
        var rest = text[...]
        var hasWords = false
        for word in words {
            guard let found = rest.firstRange(of: word) else { continue }
            hasWords = true
            attributed += AttributedString(rest[..<found.lowerBound])
            var piece = AttributedString(rest[found])
            piece.audioTimeRange = word.range
            piece.confidence = word.confidence
            attributed += piece
            rest = rest[found.upperBound...]
        }
        attributed += AttributedString(rest)
        if !hasWords { attributed.audioTimeRange = range }
        return attributed
    }
}

extension Substring {
    /// Where a word is: not inside of another one if there is a choice.
    fileprivate func firstRange(of word: SpeechResult.Word) -> Range<Index>? {
        let wanted = word.text.drop(while: \.isWhitespace)
        guard !wanted.isEmpty else { return nil }
        var anywhere: Range<Index>?
        for start in indices {
            guard let end = self[start...].endOfPrefix(wanted) else { continue }
            let isWhole =
                (start == startIndex || !self[index(before: start)].isPartOfWord)
                && (end == endIndex || !self[end].isPartOfWord)
            if isWhole { return start..<end }
            anywhere = anywhere ?? start..<end
        }
        return anywhere
    }

    /// The end of the text's beginning when it is the given one.
    private func endOfPrefix(_ prefix: Substring) -> Index? {
        var end = startIndex
        for character in prefix {
            guard end < endIndex, self[end] == character else { return nil }
            formIndex(after: &end)
        }
        return end
    }
}

extension Character {
    /// Whether words that touch here are one word. Scripts that may be written without spaces have no upper case.
    fileprivate var isPartOfWord: Bool { isCased || isNumber }
}

extension AttributeScopes {
    /// The attributes of dictated text.
    public var dictation: DictationAttributes.Type { DictationAttributes.self }

    /// The attributes of dictated text.
    public struct DictationAttributes: AttributeScope, Sendable {
        /// When the text was said.
        public let audioTimeRange: AudioTimeRangeAttribute
        /// How sure the engine is of it, from 0 to 1.
        public let confidence: ConfidenceAttribute
    }
}

/// When a piece of text was said.
public enum AudioTimeRangeAttribute: AttributedStringKey, Sendable {
    /// A range of times since the first captured sample.
    public typealias Value = Range<Duration>
    /// The attribute's name.
    public static let name = "Dictation.audioTimeRange"
}

/// How sure the engine is of a piece of text, from 0 to 1.
public enum ConfidenceAttribute: AttributedStringKey, Sendable {
    /// A number from 0 to 1.
    public typealias Value = Double
    /// The attribute's name.
    public static let name = "Dictation.confidence"
}

extension AttributeDynamicLookup {
    /// Finds the attributes of dictated text by their names.
    public subscript<T: AttributedStringKey>(
        dynamicMember keyPath: KeyPath<AttributeScopes.DictationAttributes, T>
    ) -> T { self[T.self] }
}

public import FoundationEssentials

extension Transcript {
    /// The text with the time and confidence of each word, or the time of each segment without words.
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

    /// Returns the part of an attributed text that was said at a time, for highlighting during playback.
    public static func range(
        in text: AttributedString, saidAt time: Duration
    ) -> Range<AttributedString.Index>? {
        text.runs[\.audioTimeRange].first { range, _ in range?.contains(time) ?? false }?.1
    }
}

extension SpeechResult {
    /// The text with the time and confidence of each word, or with the time of the result if it has no words.
    ///
    /// Words are searched in the text in their order. A word that the text does not contain is skipped.
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
    /// Returns the first place of a word, preferably not inside another word.
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

    /// Returns the index after the prefix, or `nil` if the text does not begin with it.
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
    /// Whether the character joins its neighbors to one word. Scripts that are written without spaces have no upper
    /// case.
    fileprivate var isPartOfWord: Bool { isCased || isNumber }
}

extension AttributeScopes {
    /// The attributes of dictated text.
    public var dictation: DictationAttributes.Type { DictationAttributes.self }

    /// The attributes of dictated text.
    public struct DictationAttributes: AttributeScope, Sendable {
        /// The range of the audio in which the text was said.
        public let audioTimeRange: AudioTimeRangeAttribute
        /// The engine's confidence, from 0 to 1.
        public let confidence: ConfidenceAttribute
    }
}

extension AttributeScopes.DictationAttributes {
    /// The attribute for the range of the audio in which a piece of text was said.
    public enum AudioTimeRangeAttribute: AttributedStringKey, Sendable {
        /// A range of times since the first captured sample.
        public typealias Value = Range<Duration>
        /// The attribute's name.
        public static let name = "Dictation.audioTimeRange"
    }
}

extension AttributeScopes.DictationAttributes {
    /// The attribute for the engine's confidence in a piece of text.
    public enum ConfidenceAttribute: AttributedStringKey, Sendable {
        /// A number from 0 to 1.
        public typealias Value = Double
        /// The attribute's name.
        public static let name = "Dictation.confidence"
    }
}

extension AttributeDynamicLookup {
    /// Looks up an attribute of dictated text by name.
    public subscript<T: AttributedStringKey>(
        dynamicMember keyPath: KeyPath<AttributeScopes.DictationAttributes, T>
    ) -> T { self[T.self] }
}

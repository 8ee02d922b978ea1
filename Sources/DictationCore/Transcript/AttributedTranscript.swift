public import FoundationEssentials

extension Transcript {
    /// The text with the time and confidence of each word, or of each segment where there are no words.
    public var attributedText: AttributedString {
        var text = AttributedString()
        for segment in segments where !segment.text.isEmpty {
            if !text.characters.isEmpty { text += AttributedString(" ") }
            text += segment.attributedText
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
    public var attributedText: AttributedString {
        guard !words.isEmpty, words.map(\.text).joined(separator: " ") == text else {
            var whole = AttributedString(text)
            whole.audioTimeRange = range
            return whole
        }
        var joined = AttributedString()
        for (index, word) in words.enumerated() {
            if index > 0 { joined += AttributedString(" ") }
            var piece = AttributedString(word.text)
            piece.audioTimeRange = word.range
            piece.confidence = word.confidence
            joined += piece
        }
        return joined
    }
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

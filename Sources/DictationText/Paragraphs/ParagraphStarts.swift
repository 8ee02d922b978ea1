import DictationCore

/// Finds where paragraphs start, while the results of a recording arrive.
struct ParagraphStarts: Sendable {
    enum Start: Sendable {
        /// The first paragraph of the recording.
        case first
        case sameSpeaker
        case newSpeaker
    }

    private var speaker: String?
    /// Whether the recording has any text.
    private(set) var hasBegun = false

    /// Returns how a result starts a paragraph, or `nil` if it continues one.
    mutating func add(_ result: SpeechResult) -> Start? {
        let name = result.speakerName
        defer { (speaker, hasBegun) = (name, true) }
        if !hasBegun { return .first }
        if name != speaker { return .newSpeaker }
        return result.breaksBefore > 1 ? .sameSpeaker : nil
    }
}

extension SpeechResult {
    /// The number of line ends before the text.
    var breaksBefore: Int { text.prefix(while: \.isWhitespace).count(where: \.isNewline) }

    /// The result without the line ends and spaces before its text.
    var withoutBreaks: SpeechResult {
        var result = self
        // A mark after a space stays: to Swift, both are one character.
        result.text = String(text.unicodeScalars.drop { $0.properties.isWhitespace })
        return result
    }

    /// The speaker's name on one line; `nil` without one.
    var speakerName: String? {
        guard let name = speaker?.oneLine, !name.isEmpty else { return nil }
        return name
    }
}

import DictationCore

/// A word, a punctuation mark or a line break, with the range of the audio in which it was said.
public struct TextPiece: Sendable, Hashable {
    /// The text, without white space. A line break is `"\n"`, and the space between paragraphs is `"\n\n"`.
    public var text: String { didSet { key = text.folded } }
    /// Whether a space separates the piece from the one before.
    public var isSpaced: Bool
    /// The range of the audio.
    public var range: Range<Duration>
    /// The engine's confidence, from 0 to 1; `nil` if the engine can't tell.
    public var confidence: Double?
    /// Whether the text is as the user wants it, so that later processors must not change it.
    public var isFixed: Bool

    /// The text in lowercase, to look it up.
    var key: String
    /// The number of the result that the piece comes from.
    var source = 0 { didSet { lastSource = source } }
    /// The number of the last result that the piece comes from.
    private(set) var lastSource = 0
    /// How long nobody spoke before the first and before the last word of the piece; `nil` if a processor made it of
    /// nothing.
    var silence: ClosedRange<Duration>?

    /// Creates a piece.
    public init(
        _ text: String, isSpaced: Bool = true, range: Range<Duration>, confidence: Double? = nil, isFixed: Bool = false
    ) {
        self.text = text
        self.isSpaced = isSpaced
        self.range = range
        self.confidence = confidence
        self.isFixed = isFixed
        key = text.folded
    }

    /// Whether the piece is a line break.
    public var isBreak: Bool { text.utf8.first == UInt8(ascii: "\n") }
    /// Whether the piece has a letter or a digit.
    var isWord: Bool { text.contains { $0.isLetter || $0.isNumber } }
    /// Whether the piece is a mark such as a comma or a period, which ends a part of a sentence.
    var isStop: Bool { !text.isEmpty && text.allSatisfy { ".,;:!?…。，、！？：；".contains($0) } }
    /// Whether a sentence ends with the piece.
    var endsSentence: Bool { isBreak || !isWord && text.contains { ".!?…。！？".contains($0) } }

    /// Returns a piece that was said instead of others. It has their range and the lowest of their confidences.
    static func merged(_ text: String, _ pieces: some BidirectionalCollection<TextPiece>) -> TextPiece? {
        guard var merged = pieces.first, let last = pieces.last else { return nil }
        merged.text = text
        merged.range = merged.range.lowerBound..<max(merged.range.upperBound, last.range.upperBound)
        merged.lastSource = max(merged.lastSource, last.lastSource)
        if let first = merged.silence, let end = last.silence {
            merged.silence = first.lowerBound...max(first.upperBound, end.upperBound)
        }
        merged.confidence = pieces.compactMap(\.confidence).min()
        return merged
    }
}

extension StringProtocol {
    /// The text in lowercase and with straight apostrophes, so that all spellings of a word are the same key.
    var folded: String {
        if utf8.allSatisfy({ $0 < 0x80 && !(UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }) {
            return String(self)
        }
        return lowercased().replacing("\u{2019}", with: "'")
    }
}

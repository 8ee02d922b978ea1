public import DictationCore

/// A user's words and phrases, spelled as the user wants them.
///
///     let vocabulary = try WrittenVocabulary(parsing: """
///         # Names
///         Siobhan
///         MacBook Pro
///         swift dictation -> swift-dictation
///         """)
///     let options = RecognitionOptions(contextualStrings: vocabulary.contextualStrings)
///     let written = transcript.processed(by: [vocabulary])
///
/// Each line has one phrase. A phrase alone gets the spelling and the capitals of the line wherever it is said.
/// `from -> to` replaces one phrase by another. Capitals and the marks around a phrase don't matter for finding it, and
/// “Siobhan” is also found in “siobhan's”. Of several phrases that begin at the same word, the longest counts. A line that
/// begins with `#` is a comment.
///
/// Other processors don't change what the vocabulary wrote, so a line “Seven Eleven” keeps its words.
public struct WrittenVocabulary: TextProcessor {
    /// A line of the vocabulary.
    public struct Entry: Sendable, Hashable {
        /// The phrase as engines recognize it.
        public var spoken: String
        /// The phrase as it is written.
        public var written: String

        /// Creates an entry.
        public init(_ spoken: String, as written: String) { (self.spoken, self.written) = (spoken, written) }
        /// Creates an entry for a phrase that is written as it is spelled here.
        public init(_ phrase: String) { self.init(phrase, as: phrase) }
    }

    /// The entries, in order. Of two entries for the same phrase, the later counts.
    public let entries: [Entry]
    private var matcher: PhraseMatcher<Spelling>

    /// How a phrase is written.
    private struct Spelling {
        var text: String
        /// Whether an apostrophe and an “s” follow as they were recognized.
        var isPossessive = false
    }

    /// Creates a vocabulary.
    public init(_ entries: [Entry]) {
        self.entries = entries
        var table = PhraseTable<Spelling>()
        for entry in entries where entry.spoken.last?.isLetter == true && entry.written.last?.isLetter == true {
            table.insert(entry.spoken + "'s", Spelling(text: entry.written, isPossessive: true))
        }
        for entry in entries { table.insert(entry.spoken, Spelling(text: entry.written)) }
        matcher = PhraseMatcher(table)
    }

    /// Reads a vocabulary from the text of a file.
    ///
    /// - Throws: `DictationError.Code.invalidInput` with the number of the line that can't be read.
    public init(parsing text: String) throws(DictationError) {
        var entries: [Entry] = []
        for (number, line) in text.meaningfulLines {
            let parts = line.components(separatedBy: "->").map(\.trimmed)
            guard parts.count < 3 else { throw Self.error(number, line, "has more than one “->”.") }
            guard parts.allSatisfy({ !Tokenizer.texts(of: $0).isEmpty }) else {
                throw Self.error(number, line, "has no phrase on one side of “->”.")
            }
            entries.append(Entry(parts[0], as: parts[parts.count - 1]))
        }
        self.init(entries)
    }

    /// The phrases to expect, for `RecognitionOptions.contextualStrings`.
    public var contextualStrings: [RecognitionOptions.ContextualString] {
        var seen: Set<String> = []
        return entries.map(\.spoken).filter { seen.insert($0.folded).inserted }.map {
            RecognitionOptions.ContextualString($0)
        }
    }

    /// Takes the next piece, and appends the pieces that can no longer change.
    public mutating func process(_ piece: TextPiece, into written: inout [TextPiece]) {
        for finding in matcher.next(piece) { Self.take(finding, &written) }
    }

    /// Appends the pieces that were kept.
    public mutating func finish(into written: inout [TextPiece]) {
        for finding in matcher.finish() { Self.take(finding, &written) }
    }

    private static func take(_ finding: PhraseMatcher<Spelling>.Finding, _ written: inout [TextPiece]) {
        switch finding {
        case .piece(let piece): written.append(piece)
        case .phrase(let spelling, let pieces):
            let ending = spelling.isPossessive ? pieces.last?.text.suffix(2) ?? "" : ""
            written += TextPiece.replacing(pieces, with: spelling.text + ending)
        }
    }

    private static func error(_ number: Int, _ line: String, _ problem: String) -> DictationError {
        DictationError(
            .invalidInput, "Line \(number) of the vocabulary, “\(line.prefix(80))”, \(problem)",
            recovery: "Write one phrase a line, or “from -> to”.")
    }
}

extension TextPiece {
    /// Returns the pieces of a text that is written instead of others. Each piece keeps the time of its word if the
    /// number of words stays; otherwise the words share the time.
    fileprivate static func replacing(_ pieces: ArraySlice<TextPiece>, with text: String) -> [TextPiece] {
        guard let first = pieces.first, let all = merged(text, pieces) else { return [] }
        let texts = Tokenizer.texts(of: text)
        let keepsTimes = texts.count == pieces.count
        var written = texts.enumerated().map { index, part in
            var piece = keepsTimes ? pieces[pieces.startIndex + index] : all
            piece.text = part.text
            piece.isSpaced = index == 0 ? first.isSpaced : part.isSpaced
            piece.isFixed = true
            return piece
        }
        if !keepsTimes { Tokenizer.spread(&written, written.map { _ in false }, in: all.range) }
        return written
    }
}

extension String {
    /// Returns the parts between the separators.
    fileprivate func components(separatedBy separator: String) -> [String] {
        var parts: [String] = []
        var rest = self[...]
        while let range = rest.firstRange(of: separator) {
            parts.append(String(rest[..<range.lowerBound]))
            rest = rest[range.upperBound...]
        }
        return parts + [String(rest)]
    }
}

public import DictationCore

/// A transcript that was rewritten, and the original.
public struct RewrittenTranscript: Sendable, Hashable {
    /// The transcript as it was.
    public var original: Transcript
    /// The transcript with the new text. Words have the times of the words that they stand for. New words share the time
    /// between their neighbors and have no confidence.
    public var written: Transcript
    /// The error that ended the work. The text from there on is the original; `nil` if everything was rewritten.
    public var error: DictationError?
}

extension Transcript {
    /// Returns the transcript with the text that a rewriter writes, beside the original.
    ///
    /// Each part is a paragraph, or less if it is long. A part keeps its text if the rewriter fails, writes several times as
    /// much, or does not keep at least half of the words in their order. The rest of the transcript then keeps its text,
    /// too. Case, punctuation and numbers in digits don't count as a change of words. In scripts without spaces, characters
    /// count instead of words.
    ///
    /// - Parameters:
    ///   - rewriter: The program or the language model.
    ///   - partLength: The number of characters after which a part ends.
    public func rewritten(by rewriter: some TextRewriter, partLength: Int = 4_000) async -> RewrittenTranscript {
        var composer = ResultComposer(locale: locale)
        var result = RewrittenTranscript(original: self, written: self)
        result.written.segments = []
        for part in parts(partLength) {
            if result.error == nil {
                do throws(DictationError) {
                    result.written.segments += try await rewrite(part, by: rewriter, &composer)
                    continue
                } catch {
                    result.error = error
                }
            }
            result.written.segments += segments[part]
        }
        return result
    }

    private func parts(_ length: Int) -> [Range<Int>] {
        var parts: [Range<Int>] = []
        var start = 0
        var count = 0
        for (index, segment) in segments.enumerated() {
            let begins =
                segment.text.first?.isNewline == true || index > 0 && segment.speaker != segments[index - 1].speaker
            if index > start, begins || count + segment.text.utf8.count > length {
                parts.append(start..<index)
                (start, count) = (index, 0)
            }
            count += segment.text.utf8.count
        }
        return start < segments.count ? parts + [start..<segments.count] : parts
    }

    private func rewrite(
        _ part: Range<Int>, by rewriter: some TextRewriter, _ composer: inout ResultComposer
    ) async throws(DictationError) -> [SpeechResult] {
        let text = locale.join(segments[part].map(\.text))
        let breaks = text.prefix(while: \.isWhitespace)
        let new = try await rewriter.rewrite(text.trimmed)
        guard let new = Self.accepted(new, for: text) else {
            throw DictationError(
                .invalidInput, "The new text can't be a version of the old one: it is empty or far too long.",
                recovery: "Use another program or language model.")
        }
        guard KeptWords(of: text, in: new).isVersion else {
            throw DictationError(
                .invalidInput, "The new text is not a version of the old one: it has fewer than half of the words.",
                recovery: "Use a program or language model that corrects the text and answers with nothing else.")
        }
        let usesSpaces = composer.usesSpaces
        var old: [TextPiece] = []
        for index in part {
            composer.add(ResultComposer.Source(segments[index]), number: index)
            old += Tokenizer.pieces(of: segments[index], isSpaced: usesSpaces, source: index)
        }
        let range = segments[part.lowerBound].range.lowerBound..<segments[part.upperBound - 1].range.upperBound
        var results: [SpeechResult] = []
        for piece in TextAlignment.pieces(of: breaks + new, saidAs: old, isSpaced: usesSpaces, in: range) {
            if let result = composer.add(piece) { results.append(result) }
        }
        return results + [composer.finish()].compactMap(\.self)
    }

    /// Returns the text without control characters; `nil` for a text that is empty or too long.
    private static func accepted(_ new: String, for old: String) -> String? {
        let lines = new.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map(\.onOneLine)
        let text = lines.joined(separator: "\n").trimmed
        return text.isEmpty || text.utf8.count > 3 * old.utf8.count + 200 ? nil : text
    }
}

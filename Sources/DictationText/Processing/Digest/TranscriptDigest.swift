public import DictationCore

/// A title or a summary of a transcript, and how it was made.
public struct TranscriptDigest: Sendable, Hashable, Codable {
    /// How a text was made.
    public enum Origin: String, Sendable, Hashable, Codable {
        /// From sentences of the transcript, word for word.
        case extractive
        /// By a language model, in its own words.
        case model
    }

    /// The text.
    public var text: String
    /// How the text was made.
    public var origin: Origin

    /// Creates a digest.
    public init(_ text: String, origin: Origin) { (self.text, self.origin) = (text, origin) }

    /// Returns whether the digest has the same words as the whole transcript, or is the beginning of its only sentence. A document
    /// with both would say it twice.
    public func repeats(_ transcript: Transcript) -> Bool {
        if origin == .extractive, SentenceRanking(of: transcript).isOneSentence { return true }
        return Self.words(of: text) == Self.words(of: transcript.text)
    }

    private static func words(of text: String) -> [String] {
        Tokenizer.texts(of: text).map(\.text.folded).filter { $0.contains { $0.isLetter || $0.isNumber } }
    }
}

extension Transcript {
    /// Returns the beginning of the most typical sentence as a title.
    ///
    /// A sentence is typical if its words are frequent in the transcript. No model is needed, and no other word appears.
    /// The title of a single short sentence is that sentence; see ``TranscriptDigest/repeats(_:)``.
    ///
    /// - Parameter length: The greatest number of characters.
    public func title(length: Int = 60) -> TranscriptDigest {
        let best = SentenceRanking(of: self).best(1, isTitle: true).first ?? ""
        return TranscriptDigest(best.shortened(to: length), origin: .extractive)
    }

    /// Returns the most typical sentences in their order. A text with no more sentences is its own summary; see
    /// ``TranscriptDigest/repeats(_:)``.
    ///
    /// - Parameters:
    ///   - sentences: The greatest number of sentences.
    ///   - length: The greatest number of characters.
    public func summary(sentences: Int = 3, length: Int = 600) -> TranscriptDigest {
        let best = SentenceRanking(of: self).best(max(0, sentences))
        return TranscriptDigest(locale.join(best).shortened(to: length), origin: .extractive)
    }

    /// Returns a title that a language model writes.
    ///
    /// - Throws: The model's error. `title()` needs no model.
    public func title(by model: ChatModel) async throws(DictationError) -> TranscriptDigest {
        let text = try await model.answer(
            to: excerpt,
            instructions:
                "Write a title of at most eight words for this dictated text, in its language. Answer with the title alone."
        )
        return TranscriptDigest(text.oneLine.withoutQuotes.shortened(to: 120), origin: .model)
    }

    /// Returns a summary that a language model writes.
    ///
    /// - Throws: The model's error. `summary()` needs no model.
    public func summary(by model: ChatModel) async throws(DictationError) -> TranscriptDigest {
        let text = try await model.answer(
            to: excerpt,
            instructions:
                "Summarize this dictated text in at most five sentences, in its language. Answer with the summary alone."
        )
        return TranscriptDigest(text.oneLine.shortened(to: 2_000), origin: .model)
    }

    /// The text, or the most typical sentences of a text that is too long for a model.
    private var excerpt: String {
        let limit = 12_000
        let text = text
        return text.utf8.count <= limit ? text : summary(sentences: 200, length: limit).text
    }
}

extension String {
    /// The text without the quotation marks around it.
    fileprivate var withoutQuotes: String {
        let pairs: [(Character, Character)] = [("\"", "\""), ("“", "”"), ("„", "“"), ("«", "»"), ("'", "'")]
        guard count > 2, pairs.contains(where: { $0 == (first, last) }) else { return self }
        return String(dropFirst().dropLast())
    }

    /// The beginning of the text, cut between two words.
    fileprivate func shortened(to length: Int) -> String {
        let text = oneLine
        guard length > 0 else { return "" }
        guard text.count > length else { return text }
        var words = text.prefix(length - 1)
        if let space = words.lastIndex(of: " ") { words = words[..<space] }
        while let last = words.last, !last.isLetter, !last.isNumber { words.removeLast() }
        return words + "…"
    }
}

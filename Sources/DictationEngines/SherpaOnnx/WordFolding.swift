package import DictationCore
import DictationSystem

/// A word joined from tokens, with its times in seconds since the tokens' origin, and its confidence.
package struct FoldedWord: Hashable, Sendable {
    package var text: String
    /// Whether a space separates the word from the one before.
    var followsSpace = true
    package var start: Double
    package var end: Double
    /// The time when the last token began.
    var lastToken: Double
    package var confidence: Double?

    package init(
        text: String, followsSpace: Bool = true, start: Double, end: Double, lastToken: Double,
        confidence: Double? = nil
    ) {
        self.text = text
        self.followsSpace = followsSpace
        self.start = start
        self.end = end
        self.lastToken = lastToken
        self.confidence = confidence
    }
}

extension [Token] {
    /// The seconds that a token lasts when no token follows it.
    private static var lastTokenLength: Double { 0.24 }

    /// Returns the words of the tokens. A word ends where the next word begins, or a moment after its last token.
    package func folded() -> [FoldedWord] {
        var words: [FoldedWord] = []
        var bytes: [UInt8] = []
        for token in self {
            let begins = token.text.hasPrefix(" ") || words.isEmpty || token.isWord
            if begins {
                flush(&bytes, into: &words)
                if let last = words.indices.last {
                    words[last].end = Swift.max(words[last].start, Swift.min(words[last].end, token.time))
                }
                words.append(
                    FoldedWord(
                        text: "", followsSpace: token.text.hasPrefix(" "), start: token.time, end: token.time,
                        lastToken: token.time))
            }
            guard let last = words.indices.last else { continue }
            if let byte = token.byte {
                bytes.append(byte)
            } else {
                flush(&bytes, into: &words)
                words[last].text += token.text.drop { $0 == " " }
            }
            words[last].lastToken = Swift.max(words[last].lastToken, token.time)
            words[last].end = words[last].lastToken + Self.lastTokenLength
            if let logProbability = token.logProbability {
                let probability = Self.probability(logProbability)
                words[last].confidence = Swift.min(words[last].confidence ?? 1, probability)
            }
        }
        flush(&bytes, into: &words)
        return words.filter { !$0.text.isEmpty }
    }

    private static func probability(_ logarithm: Double) -> Double {
        logarithm.isNaN ? 0 : Swift.min(1, Swift.max(0, exp(logarithm)))
    }

    private func flush(_ bytes: inout [UInt8], into words: inout [FoldedWord]) {
        guard !bytes.isEmpty, let last = words.indices.last else { return }
        words[last].text += String(decoding: bytes, as: UTF8.self)
        bytes = []
    }
}

extension [FoldedWord] {
    /// The words as a text.
    package var text: String {
        reduce(into: "") { text, word in text += (word.followsSpace && !text.isEmpty ? " " : "") + word.text }
    }
}

extension Token {
    /// Whether the token is a word by itself, because its script has no spaces.
    fileprivate var isWord: Bool { text.first?.isWrittenWithoutSpaces == true }

    /// The byte that a token such as `<0xE2>` stands for.
    fileprivate var byte: UInt8? {
        guard text.utf8.count == 6, text.hasPrefix("<0x"), text.hasSuffix(">") else { return nil }
        return UInt8(text.dropFirst(3).dropLast(), radix: 16)
    }
}

/// Changes the case of words from a model that writes only capital letters.
package struct Casing: Sendable {
    let textCase: RecognitionOptions.TextCase
    let language: String

    package init(textCase: RecognitionOptions.TextCase, language: String) {
        self.textCase = textCase
        self.language = language
    }

    package func apply(to words: [FoldedWord]) -> [FoldedWord] {
        guard textCase != .asModel else { return words }
        var cased = words
        for index in cased.indices {
            cased[index].text = cased[index].text.lowercased()
            let isEnglishI = language == "en" && (cased[index].text == "i" || cased[index].text.hasPrefix("i'"))
            if textCase == .sentence, index == 0 || isEnglishI { cased[index].text.capitalizeFirst() }
        }
        return cased
    }
}

extension String {
    fileprivate mutating func capitalizeFirst() {
        guard let first else { return }
        self = first.uppercased() + dropFirst()
    }
}

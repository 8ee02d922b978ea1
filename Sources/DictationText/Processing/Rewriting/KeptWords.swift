/// Compares the words of a new text with those of the old one, to tell a correction from an answer such as “I can't help
/// with that.”
///
/// A word is compared without case, punctuation and apostrophes. In a script without spaces, each character is a word.
struct KeptWords {
    /// The number of words of the old text.
    let all: Int
    /// The number of these words that the new text has in the same order, or has replaced by a number in digits.
    let kept: Int

    init(of old: String, in new: String) {
        let (old, new) = (Self.words(of: old), Self.words(of: new))
        all = old.count
        guard let pairs = TextAlignment.pairs(of: new, in: old) else {
            // Texts as long as this have the same words only if one was made of the other, so their order need not be known.
            let counts = Dictionary(new.map { ($0, 1) }, uniquingKeysWith: +)
            let others = Dictionary(old.map { ($0, 1) }, uniquingKeysWith: +)
            kept = others.reduce(0) { $0 + min($1.value, counts[$1.key] ?? 0) }
            return
        }
        var kept = pairs.count
        var last = (new: -1, old: -1)
        for pair in pairs + [(new.count, old.count)] {
            kept += Self.spoken(new[(last.new + 1)..<pair.new], insteadOf: pair.old - last.old - 1)
            last = pair
        }
        self.kept = kept
    }

    /// Whether the new text has at least half of the words.
    var isVersion: Bool { 2 * kept >= all }

    /// Returns how many old words are said by the new ones in their place, if these are numbers in digits: “42” for “forty
    /// two”. A digit stands for two words at most, and a number for four or more: “1M” is “one million”.
    private static func spoken(_ numbers: ArraySlice<String>, insteadOf count: Int) -> Int {
        guard numbers.allSatisfy({ $0.contains(where: \.isNumber) }) else { return 0 }
        return min(count, numbers.reduce(0) { $0 + max(4, 2 * $1.count(where: \.isNumber)) })
    }

    private static func words(of text: String) -> [String] {
        var words: [String] = []
        var word = ""
        func end() {
            if !word.isEmpty { words.append(word) }
            word = ""
        }
        for character in text.lowercased() where character != "'" && character != "\u{2019}" {
            if character.isOfScriptWithoutSpaces {
                end()
                words.append(String(character))
            } else if character.isLetter || character.isNumber {
                word.append(character)
            } else {
                end()
            }
        }
        end()
        return words
    }
}

extension Character {
    /// Whether the character is a letter of Chinese, Japanese, Thai, Lao, Burmese or Khmer.
    fileprivate var isOfScriptWithoutSpaces: Bool {
        guard isLetter, let scalar = unicodeScalars.first else { return false }
        if scalar.properties.isIdeographic { return true }
        return switch scalar.value {
        case 0x3041...0x30FF, 0x31F0...0x31FF, 0xFF66...0xFF9F: true
        case 0x0E00...0x0EFF, 0x1000...0x109F, 0x1780...0x17FF: true
        default: false
        }
    }
}

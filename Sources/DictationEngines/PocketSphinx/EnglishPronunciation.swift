/// Guesses the pronunciation of an English word from its spelling. The few rules are right for most names and wrong for
/// many, so the result is always reported as a guess.
enum EnglishPronunciation {
    /// Returns the phones of a word, or none when the word has a character other than an ASCII letter, an apostrophe, a
    /// hyphen or a period.
    static func phones(of word: String) -> [String] {
        let letters = Array(word.lowercased().filter { $0 != "'" && $0 != "-" && $0 != "." })
        guard !letters.isEmpty, letters.allSatisfy({ $0.isASCII && $0.isLetter }) else { return [] }
        var phones: [String] = []
        var index = 0
        while index < letters.count {
            let (used, sounds) = next(letters, index)
            phones += sounds
            index += used
        }
        return phones
    }

    private static let vowels: Set<Character> = ["a", "e", "i", "o", "u", "y"]

    private static func next(_ letters: [Character], _ index: Int) -> (Int, [String]) {
        let rest = String(letters[index...])
        // A silent e lengthens the vowel two letters before it, as in "cape".
        if index + 2 == letters.count - 1, letters[index + 2] == "e", vowels.contains(letters[index]),
            !vowels.contains(letters[index + 1]), let long = longVowels[letters[index]]
        {
            return (1, long)
        }
        if rest == "e", index > 1 { return (1, []) }
        if index == 0, let (text, sounds) = beginnings.first(where: { rest.hasPrefix($0.0) }) {
            return (text.count, sounds)
        }
        if let (text, sounds) = endings.first(where: { rest == $0.0 }), index > 0 { return (text.count, sounds) }
        if let (text, sounds) = groups.first(where: { rest.hasPrefix($0.0) }) { return (text.count, sounds) }
        let letter = letters[index]
        if index + 1 < letters.count, letters[index + 1] == letter, !vowels.contains(letter) {
            return (2, singles[letter] ?? [])
        }
        if letter == "y" {
            let isConsonant = index == 0 && letters.count > 1
            return (1, [isConsonant ? "Y" : index == letters.count - 1 ? "IY" : "IH"])
        }
        return (1, singles[letter] ?? [])
    }

    private static let longVowels: [Character: [String]] = [
        "a": ["EY"], "e": ["IY"], "i": ["AY"], "o": ["OW"], "u": ["UW"], "y": ["AY"],
    ]

    private static let beginnings: [(String, [String])] = [
        ("kn", ["N"]), ("gn", ["N"]), ("wr", ["R"]), ("ps", ["S"]), ("x", ["Z"]), ("wh", ["W"]),
        ("mc", ["M", "AH", "K"]),
    ]

    private static let endings: [(String, [String])] = [
        ("tion", ["SH", "AH", "N"]), ("sion", ["ZH", "AH", "N"]), ("ture", ["CH", "ER"]), ("ing", ["IH", "NG"]),
        ("ous", ["AH", "S"]), ("le", ["AH", "L"]), ("er", ["ER"]), ("or", ["ER"]), ("ar", ["ER"]), ("ed", ["D"]),
        ("es", ["Z"]), ("ia", ["IY", "AH"]), ("ie", ["IY"]), ("ey", ["IY"]), ("a", ["AH"]), ("o", ["OW"]),
        ("i", ["IY"]),
    ]

    private static let groups: [(String, [String])] = [
        ("tch", ["CH"]), ("sch", ["SH"]), ("igh", ["AY"]), ("eau", ["OW"]), ("dge", ["JH"]), ("ough", ["OW"]),
        ("augh", ["AO"]), ("ch", ["CH"]), ("sh", ["SH"]), ("th", ["TH"]), ("ph", ["F"]), ("gh", ["G"]), ("ck", ["K"]),
        ("qu", ["K", "W"]), ("ng", ["NG"]), ("nk", ["NG", "K"]), ("ee", ["IY"]), ("ea", ["IY"]), ("oo", ["UW"]),
        ("ou", ["AW"]), ("ow", ["OW"]), ("oi", ["OY"]), ("oy", ["OY"]), ("ai", ["EY"]), ("ay", ["EY"]), ("au", ["AO"]),
        ("aw", ["AO"]), ("oa", ["OW"]), ("ei", ["EY"]), ("ie", ["IY"]), ("eu", ["Y", "UW"]), ("ew", ["UW"]),
        ("ar", ["AA", "R"]), ("er", ["ER"]), ("ir", ["ER"]), ("or", ["AO", "R"]), ("ur", ["ER"]), ("ce", ["S", "EH"]),
        ("ci", ["S", "IH"]), ("cy", ["S", "IY"]), ("ge", ["JH", "EH"]), ("gi", ["JH", "IH"]), ("gy", ["JH", "IY"]),
    ]

    private static let singles: [Character: [String]] = [
        "a": ["AE"], "b": ["B"], "c": ["K"], "d": ["D"], "e": ["EH"], "f": ["F"], "g": ["G"], "h": ["HH"], "i": ["IH"],
        "j": ["JH"], "k": ["K"], "l": ["L"], "m": ["M"], "n": ["N"], "o": ["AA"], "p": ["P"], "q": ["K"], "r": ["R"],
        "s": ["S"], "t": ["T"], "u": ["AH"], "v": ["V"], "w": ["W"], "x": ["K", "S"], "y": ["Y"], "z": ["Z"],
    ]
}

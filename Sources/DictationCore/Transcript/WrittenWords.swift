extension Character {
    /// Whether the character belongs to a script that is written without spaces between words: Chinese characters, kana,
    /// Thai, Lao, Khmer, Myanmar.
    package var isWrittenWithoutSpaces: Bool {
        guard let scalar = unicodeScalars.first else { return false }
        return scalar.properties.isIdeographic || Self.unspacedBlocks.contains { $0.contains(scalar.value) }
    }

    private static let unspacedBlocks: [ClosedRange<UInt32>] = [
        0x0E01...0x0EFF, 0x1000...0x109F, 0x1780...0x17FF, 0x1950...0x19FF, 0x1A20...0x1AAF, 0x3041...0x312F,
        0x31F0...0x31FF, 0xA9E0...0xA9FF, 0xAA60...0xAA7F, 0xFF66...0xFF9F,
    ]

    fileprivate var isPartOfWord: Bool { isLetter || isNumber }
    /// Whether the character goes on with the word before it, such as the long vowel in “コーヒー”.
    fileprivate var isModifier: Bool { unicodeScalars.first?.properties.generalCategory == .modifierLetter }
    fileprivate var isOpening: Bool {
        let category = unicodeScalars.first?.properties.generalCategory
        return category == .openPunctuation || category == .initialPunctuation
    }
}

extension String {
    /// The words as they are written. See `Substring.writtenWords`.
    package var writtenWords: [Substring] { self[...].writtenWords }
}

extension Substring {
    /// The words as they are written, each with the punctuation around it.
    ///
    /// In a script without spaces each character is a word: finding its words takes a dictionary, and counting, matching
    /// and timing do not need them.
    package var writtenWords: [Substring] {
        split(whereSeparator: \.isWhitespace).flatMap { $0.cutBetweenCharactersWithoutSpaces() }
    }

    /// Returns the text without spaces, cut before and after each character of a script without spaces.
    private func cutBetweenCharactersWithoutSpaces() -> [Substring] {
        guard contains(where: \.isWrittenWithoutSpaces) else { return [self] }
        var words: [Substring] = []
        var start = startIndex
        var last: Character?
        /// Where the next word begins: after the last letter and the marks that close it.
        var end = startIndex
        for index in indices {
            let character = self[index]
            guard character.isPartOfWord else {
                if !character.isOpening, end == index { end = self.index(after: index) }
                continue
            }
            if let last, last.isWrittenWithoutSpaces || character.isWrittenWithoutSpaces, !character.isModifier {
                words.append(self[start..<end])
                start = end
            }
            last = character
            end = self.index(after: index)
        }
        return words + [self[start...]]
    }
}

extension Collection where Element: StringProtocol {
    /// The parts as one text, with a space between two parts unless one of them borders on a script without spaces.
    package var joinedAsWritten: String {
        reduce(into: "") { text, part in
            let isUnspaced =
                [text.last, part.first].contains { $0?.isWrittenWithoutSpaces == true }
                || text.last.map { "。！？、，".contains($0) } == true
            text += (text.isEmpty || part.isEmpty || isUnspaced ? "" : " ") + part
        }
    }
}

#if SherpaOnnx
    import DictationCore

    /// The model's vocabulary, `tokens.txt`: a piece of a word and its number on each line.
    struct TokenTable: Sendable {
        /// The pieces; the mark that begins a word is still in them.
        let pieces: Set<String>
        let count: Int
        /// Whether the model writes no small letters, so that its text is given a case.
        let hasOnlyCapitals: Bool

        static let wordMark: Character = "\u{2581}"

        init(at path: String) throws(DictationError) {
            let file = try OnnxBytes(at: path)
            guard file.size <= 1 << 24 else { throw file.damaged("it is too large for a vocabulary") }
            let bytes = try file.bytes(0..<file.size)
            guard let text = String(validating: bytes, as: UTF8.self) else { throw file.damaged("it is no UTF-8 text") }
            var pieces: Set<String> = []
            var numbers: Set<Int> = []
            for line in text.split(whereSeparator: \.isNewline) {
                let parts = line.split(whereSeparator: { $0 == " " || $0 == "\t" })
                guard let number = parts.last.flatMap({ Int($0) }), number >= 0, parts.count <= 2 else {
                    throw file.damaged("the line '\(line.prefix(40))' is not a piece and its number")
                }
                guard numbers.insert(number).inserted else { throw file.damaged("the number \(number) is there twice") }
                pieces.insert(parts.count == 2 ? String(parts[0]) : " ")
            }
            guard let last = numbers.max(), last == numbers.count - 1 else {
                throw file.damaged("its numbers have holes")
            }
            self.pieces = pieces
            count = numbers.count
            let words = pieces.filter { !$0.hasPrefix("<") }
            hasOnlyCapitals =
                words.contains { $0.contains(where: \.isUppercase) }
                && !words.contains { $0.contains(where: \.isLowercase) }
        }
    }
#endif

import DictationCore

/// The model's vocabulary, `tokens.txt`. Each line has a piece of a word and its number.
struct TokenTable: Sendable {
    /// The pieces, with the mark that begins a word.
    let pieces: Set<String>
    let count: Int
    /// The piece with the greatest number.
    let last: String
    /// Whether the model writes only capital letters, so that the engine changes the case of its text.
    let hasOnlyCapitals: Bool

    static let wordMark: Character = "\u{2581}"

    init(at path: String) throws(DictationError) {
        let file = try OnnxBytes(at: path)
        guard file.size <= 1 << 22 else { throw file.damaged("it is too large for a vocabulary") }
        let bytes = try file.bytes(0..<file.size)
        guard String(validating: bytes, as: UTF8.self) != nil else { throw file.damaged("it is not UTF-8 text") }
        var pieces: Set<String> = []
        var numbers: Set<Int> = []
        var (last, highest) = ("", -1)
        // The file can have tens of thousands of lines. Splitting bytes is fast; splitting characters takes a second.
        for line in bytes.split(whereSeparator: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }) {
            let parts = line.split(whereSeparator: { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") })
            let number = parts.last.flatMap { Int(String(decoding: $0, as: UTF8.self)) }
            guard let number, number >= 0, parts.count <= 2 else {
                let start = String(decoding: line.prefix(40), as: UTF8.self)
                throw file.damaged("the line “\(start)” is not a piece and its number")
            }
            guard numbers.insert(number).inserted else { throw file.damaged("the number \(number) appears twice") }
            let piece = parts.count == 2 ? String(decoding: parts[0], as: UTF8.self) : " "
            pieces.insert(piece)
            if number > highest { (last, highest) = (piece, number) }
        }
        guard highest >= 0, highest == numbers.count - 1 else {
            throw file.damaged("its numbers have gaps")
        }
        self.pieces = pieces
        count = numbers.count
        self.last = last
        let words = pieces.filter { !$0.hasPrefix("<") }
        hasOnlyCapitals =
            words.contains { $0.contains(where: \.isUppercase) }
            && !words.contains { $0.contains(where: \.isLowercase) }
    }
}

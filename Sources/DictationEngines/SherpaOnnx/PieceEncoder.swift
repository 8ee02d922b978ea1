import DictationCore

/// Splits words into the model's pieces, as `bpe.model` defines. A unigram model splits a word in the likeliest way. A
/// BPE model merges pairs of letters and pieces in the order that it learned.
struct PieceEncoder: Sendable {
    private let scores: [String: Float]
    private let longest: Int
    private let mergesPairs: Bool
    private let hasOnlyCapitals: Bool

    private enum PieceKind {
        static let normal: UInt64 = 1
        static let userDefined: UInt64 = 4
    }

    init(at path: String, for table: TokenTable) throws(DictationError) {
        let file = try OnnxBytes(at: path)
        var scores: [String: Float] = [:]
        var count = 0
        var kind: UInt64 = 1
        var fields = ProtobufFields(in: file, range: 0..<file.size)
        while let field = try fields.next() {
            if field.number == 1 {
                count += 1
                guard let (piece, score) = try Self.piece(file, field.payload) else { continue }
                guard table.pieces.contains(piece) else {
                    throw file.damaged("its piece “\(piece)” is not in the model's tokens.txt")
                }
                scores[piece] = score
            } else if field.number == 2 {
                kind = try Self.kind(file, field.payload)
            }
        }
        guard !scores.isEmpty else { throw file.damaged("it holds no word pieces") }
        self.scores = scores
        longest = scores.keys.map(\.count).max() ?? 1
        mergesPairs = kind == 2
        hasOnlyCapitals = table.hasOnlyCapitals
    }

    private static func piece(_ file: OnnxBytes, _ range: Range<Int>) throws(DictationError) -> (String, Float)? {
        var fields = ProtobufFields(in: file, range: range)
        var text = ""
        var score: Float = 0
        var kind = PieceKind.normal
        while let field = try fields.next() {
            switch field.number {
            case 1: text = try file.text(field.payload)
            case 2 where field.payload.count == 4:
                let bits = try file.bytes(field.payload).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
                score = Float(bitPattern: bits)
            case 3: kind = field.value
            default: break
            }
        }
        guard kind == PieceKind.normal || kind == PieceKind.userDefined, !text.isEmpty, score.isFinite else {
            return nil
        }
        return (text, score)
    }

    private static func kind(_ file: OnnxBytes, _ range: Range<Int>) throws(DictationError) -> UInt64 {
        var fields = ProtobufFields(in: file, range: range)
        while let field = try fields.next() {
            if field.number == 3 { return field.value }
        }
        return 1
    }

    /// The pieces, as the text of the file that the C library reads.
    var vocabulary: String {
        scores.sorted { $0.key < $1.key }.map { "\($0.key)\t\($0.value)\n" }.joined()
    }

    /// Returns the words of a phrase as the model writes them.
    func words(of phrase: String) -> [String] {
        let spelled = hasOnlyCapitals ? phrase.uppercased() : phrase
        let plain = String(spelled.map { $0 == "\u{2019}" ? "'" : $0 })
        return plain.split(whereSeparator: \.isWhitespace).map(String.init)
    }

    /// Returns a phrase's pieces, or `nil` when the phrase has no words or a letter for which the model has no piece.
    func encode(_ phrase: String) -> [String]? {
        let words = words(of: phrase)
        var pieces: [String] = []
        for word in words {
            let letters = Array(String(TokenTable.wordMark) + word)
            guard let encoded = mergesPairs ? merged(letters) : likeliest(letters) else { return nil }
            pieces += encoded
        }
        return words.isEmpty ? nil : pieces
    }

    private func likeliest(_ letters: [Character]) -> [String]? {
        var best: [(score: Float, start: Int)?] = Array(repeating: nil, count: letters.count + 1)
        best[0] = (0, 0)
        for end in 1...letters.count {
            for start in max(0, end - longest)..<end {
                guard let before = best[start], let score = scores[String(letters[start..<end])] else { continue }
                let total = before.score + score
                if best[end].map({ total > $0.score }) ?? true { best[end] = (total, start) }
            }
        }
        var pieces: [String] = []
        var end = letters.count
        while end > 0 {
            guard let start = best[end]?.start else { return nil }
            pieces.append(String(letters[start..<end]))
            end = start
        }
        return pieces.reversed()
    }

    private func merged(_ letters: [Character]) -> [String]? {
        var pieces = letters.map { String($0) }
        while true {
            var best: (index: Int, score: Float)?
            for index in pieces.indices.dropLast() {
                guard let score = scores[pieces[index] + pieces[index + 1]] else { continue }
                if best.map({ score > $0.score }) ?? true { best = (index, score) }
            }
            guard let best else { break }
            let tail = pieces.remove(at: best.index + 1)
            pieces[best.index] += tail
        }
        return pieces.allSatisfy { scores[$0] != nil } ? pieces : nil
    }
}

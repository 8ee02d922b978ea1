/// Makes inputs out of those of a corpus: bytes changed, cut out, there twice, and pieces of one in the middle of another.
struct Mutation<Random: RandomNumberGenerator> {
    private static var tokens: [[UInt8]] {
        [
            "-", "(", ")", "[", "]", "{", "}", "|", "/", "\\", "\"", ":", ",", ";", "=", "<", ">", "*", "+", "\n", "\0",
            "-1", "0", "9999999999", "1e999", "0.0000000000000000001", "null", "true", "🎤", "é", "//", "/*", "*/",
            "<NULL>", "<VOID>", "public ", "{stall}", "{start fails}", "{finish never}", "{repeat}", "\u{FEFF}", "\r\n",
            "data", "fmt ", "RIFF", "RF64", "../", "\\u0000", "\\ud800",
        ].map { Array($0.utf8) } + [[0xFF, 0xFF, 0xFF, 0xFF], [0, 0, 0, 0], [0xFF, 0xFF, 0xFF, 0x7F], [0xC0, 0x80]]
    }

    private let corpus: [[UInt8]]
    private let tokens = Self.tokens
    private var random: Random

    init(of corpus: [[UInt8]], random: Random) {
        self.corpus = corpus
        self.random = random
    }

    /// The next input.
    mutating func next() -> [UInt8] {
        var bytes = corpus.randomElement(using: &random) ?? []
        for _ in 0..<Int.random(in: 1...6, using: &random) { change(&bytes) }
        return Array(bytes.prefix(1 << 16))
    }

    private mutating func change(_ bytes: inout [UInt8]) {
        let start = Int.random(in: 0...bytes.count, using: &random)
        let end = min(bytes.count, start + Int.random(in: 0...40, using: &random))
        switch Int.random(in: 0..<8, using: &random) {
        case 0 where start < bytes.count: bytes[start] = UInt8.random(in: .min ... .max, using: &random)
        case 1 where start < bytes.count: bytes[start] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 2: bytes.removeSubrange(start..<end)
        case 3: bytes.insert(contentsOf: bytes[start..<end], at: start)
        case 4: bytes.replaceSubrange(start..<end, with: tokens.randomElement(using: &random) ?? [])
        case 5: bytes.insert(contentsOf: tokens.randomElement(using: &random) ?? [], at: start)
        case 6:
            let other = corpus.randomElement(using: &random) ?? []
            let cut = Int.random(in: 0...other.count, using: &random)
            bytes.insert(contentsOf: other[cut..<min(other.count, cut + 60)], at: start)
        default:
            // The same a thousand times: for what counts or nests.
            let piece = tokens.randomElement(using: &random) ?? []
            if Int.random(in: 0..<20, using: &random) == 0 {
                bytes.insert(contentsOf: (0..<1_000).flatMap { _ in piece }, at: start)
            }
        }
    }
}

/// Pairs the words of two texts of the same speech, by their letters and their order.
///
/// One engine writes "woodcutters" where another writes "wood cutters", so one word may have two partners, and two words
/// may share one.
struct WordPairing {
    /// Some words of one text, and the words of the other text that they stand for.
    struct Pair: Hashable {
        var words: Range<Int>
        var partners: Range<Int>
    }

    private let words: Spellings
    private let partners: Spellings

    /// Words that are less alike are no pair, from 0 to 1.
    private static let leastLikeness = 0.45
    /// The numbers of words and of partners in a pair.
    private static let sizes = [(1, 1), (1, 2), (2, 1)]
    /// How far apart the places of a word and its partner may be. It bounds the work for long texts.
    private static let farthest = 40
    /// Longer texts have no pairs.
    private static let longest = 2_000

    init(_ words: [SpokenWord], with partners: [SpokenWord]) {
        self.words = Spellings(words)
        self.partners = Spellings(partners)
    }

    /// The pairs in order. No word is in two of them.
    var pairs: [Pair] {
        guard max(words.count, partners.count) <= Self.longest else { return [] }
        let width = partners.count + 1
        var scores = [Double](repeating: 0, count: (words.count + 1) * width)
        var steps = [Pair?](repeating: nil, count: scores.count)
        for word in 0...words.count {
            for partner in 0...partners.count where word + partner > 0 {
                var best = max(
                    word > 0 ? scores[(word - 1) * width + partner] : 0,
                    partner > 0 ? scores[word * width + partner - 1] : 0)
                var step: Pair?
                let place = word * partners.count / max(1, words.count)
                for (many, others) in Self.sizes
                where word >= many && partner >= others && abs(place - partner) <= Self.farthest {
                    let pair = Pair(words: (word - many)..<word, partners: (partner - others)..<partner)
                    let score = scores[(word - many) * width + partner - others] + value(of: pair)
                    if score > best { (best, step) = (score, pair) }
                }
                scores[word * width + partner] = best
                steps[word * width + partner] = step
            }
        }
        return path(scores, steps, width)
    }

    private func path(_ scores: [Double], _ steps: [Pair?], _ width: Int) -> [Pair] {
        var found: [Pair] = []
        var (word, partner) = (words.count, partners.count)
        while word > 0, partner > 0 {
            if let pair = steps[word * width + partner] {
                found.append(pair)
                (word, partner) = (pair.words.lowerBound, pair.partners.lowerBound)
            } else if scores[(word - 1) * width + partner] >= scores[word * width + partner - 1] {
                word -= 1
            } else {
                partner -= 1
            }
        }
        return found.reversed()
    }

    /// How much a pair is worth: more for more letters, and nothing if the words are hardly alike.
    private func value(of pair: Pair) -> Double {
        let (a, b) = (words[pair.words], partners[pair.partners])
        let longest = Double(max(a.bytes.count, b.bytes.count))
        let most = longest * (1 - Self.leastLikeness)
        guard !a.bytes.isEmpty, !b.bytes.isEmpty, Double(a.leastDistance(to: b)) <= most else { return 0 }
        let distance = Double(a.distance(to: b))
        return distance > most ? 0 : most - distance + 0.01 * longest
    }
}

/// The spellings of words, and of each two words that follow one another.
private struct Spellings {
    private let single: [Spelling]
    private let double: [Spelling]

    init(_ words: [SpokenWord]) {
        single = words.map { Spelling(bytes: Array($0.text.utf8)) }
        double = zip(single, single.dropFirst()).map { Spelling(bytes: $0.bytes + $1.bytes) }
    }

    var count: Int { single.count }
    subscript(range: Range<Int>) -> Spelling {
        range.count == 1 ? single[range.lowerBound] : double[range.lowerBound]
    }
}

private struct Spelling {
    let bytes: [UInt8]
    /// A bit for each letter that the word has.
    private let letters: UInt64

    init(bytes: [UInt8]) {
        self.bytes = bytes
        letters = bytes.reduce(0) { $0 | 1 << UInt64($1 & 63) }
    }

    /// A number that the distance is not below, found in less time.
    func leastDistance(to other: Spelling) -> Int {
        max(missing(in: other), other.missing(in: self), abs(bytes.count - other.bytes.count))
    }

    private func missing(in other: Spelling) -> Int {
        var count = 0
        for byte in bytes where other.letters & 1 << UInt64(byte & 63) == 0 { count += 1 }
        return count
    }

    /// The number of letters to insert, remove or replace to turn one word into the other.
    func distance(to other: Spelling) -> Int {
        if bytes == other.bytes { return 0 }
        var row = Array(0...other.bytes.count)
        for (i, letter) in bytes.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, byte) in other.bytes.enumerated() {
                let replaced = diagonal + (letter == byte ? 0 : 1)
                diagonal = row[j + 1]
                row[j + 1] = min(replaced, row[j] + 1, diagonal + 1)
            }
        }
        return row[other.bytes.count]
    }
}

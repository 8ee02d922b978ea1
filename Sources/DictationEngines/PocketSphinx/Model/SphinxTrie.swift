import DictationCore

/// A language model in PocketSphinx's binary form (`.lm.bin`). The check makes sure that no lookup reads outside of it.
struct SphinxTrie {
    private var data: SphinxBytes
    private let counts: [Int]
    private static let title = "Trie Language Model"
    private static let table = 65_536 * 4

    /// A table of entries of equal size, packed bit by bit.
    private struct Packed {
        var start: Int
        var wordBits: Int
        var skippedBits: Int
        var nextBits: Int
        var totalBits: Int { wordBits + skippedBits + nextBits }

        func value(_ entry: Int, _ bits: Int, after: Int, _ all: UnsafeRawBufferPointer) -> Int {
            let bit = entry * totalBits + after
            let loaded = all.loadUnaligned(fromByteOffset: start + bit / 8, as: UInt64.self)
            return Int(truncatingIfNeeded: (loaded >> UInt64(bit % 8)) & ((1 << UInt64(bits)) - 1))
        }

        func word(_ entry: Int, _ all: UnsafeRawBufferPointer) -> Int { value(entry, wordBits, after: 0, all) }
        func next(_ entry: Int, _ all: UnsafeRawBufferPointer) -> Int {
            value(entry, nextBits, after: wordBits + skippedBits, all)
        }
    }

    /// Reads and checks a model.
    @discardableResult
    init(file: String) throws(DictationError) {
        data = try SphinxBytes(file: file)
        guard data.bytes.starts(with: Array(Self.title.utf8)), data.bytes.count > 24 else {
            throw data.damaged("it is not a binary language model (sphinx_lm_convert converts others)")
        }
        try data.skip(Self.title.utf8.count)
        let order = Int(data.bytes[data.offset])
        try data.skip(1)
        guard (1...5).contains(order) else { throw data.damaged("its order is \(order)") }
        var counts: [Int] = []
        for _ in 0..<order { counts.append(try data.number(1...(1 << 25 - 2), "a number of n-grams")) }
        self.counts = counts
        if order > 1 {
            try data.skip(4)
            let start = data.offset
            try data.skip((2 * order - 3) * Self.table)
            guard data.isFinite(start..<data.offset) else { throw data.damaged("it has values that are not numbers") }
        }
        try checkEntries(order)
        try checkWords()
    }

    private mutating func checkEntries(_ order: Int) throws(DictationError) {
        let unigrams = data.offset
        try data.skip(12 * (counts[0] + 1))
        let isFinite = (0..<counts[0]).allSatisfy { data.isFinite((unigrams + 12 * $0)..<(unigrams + 12 * $0 + 8)) }
        guard isFinite else { throw data.damaged("it has values that are not numbers") }
        guard order > 1 else { return }
        var levels: [Packed] = []
        for level in 1..<order {
            let isLast = level == order - 1
            let packed = Packed(
                start: data.offset, wordBits: Self.bits(counts[0]), skippedBits: isLast ? 16 : 32,
                nextBits: isLast ? 0 : Self.bits(counts[level + 1]))
            levels.append(packed)
            let (bits, overflows) = (counts[level] + 1).multipliedReportingOverflow(by: packed.totalBits)
            guard !overflows, bits < 1 << 32 else { throw data.damaged("it is too large") }
            try data.skip((bits + 7) / 8 + 8)
        }
        let counts = counts
        // A lookup merely misses a word that is out of order. Good models have a few; a damaged model has many.
        var disorder = 0
        let isGood = data.bytes.withUnsafeBytes { all in
            func unigramNext(_ index: Int) -> Int {
                Int(all.loadUnaligned(fromByteOffset: unigrams + 12 * index + 8, as: UInt32.self))
            }
            // The counts are upper bounds: the entries behind the last one of a level were never filled in.
            var parents = counts[0]
            for (index, level) in levels.enumerated() {
                let entries = counts[index + 1]
                var begin = index == 0 ? unigramNext(0) : levels[index - 1].next(0, all)
                for parent in 0..<parents {
                    let end = index == 0 ? unigramNext(parent + 1) : levels[index - 1].next(parent + 1, all)
                    guard begin <= end, end <= entries else { return false }
                    var last = -1
                    for entry in begin..<end {
                        let word = level.word(entry, all)
                        guard word < counts[0] else { return false }
                        if word <= last { disorder += 1 }
                        last = word
                    }
                    begin = end
                }
                parents = begin
            }
            return disorder <= counts.reduce(0, +) / 100
        }
        guard isGood else { throw data.damaged("its n-grams are not in order") }
    }

    private mutating func checkWords() throws(DictationError) {
        let length = try data.number(1...Int(Int32.max), "the length of the words")
        let start = data.offset
        try data.skip(length)
        guard data.left == 0 else { throw data.damaged("it is \(data.left) bytes too long") }
        let words = data.bytes[start...].count { $0 == 0 }
        guard words == counts[0], data.bytes.last == 0 else { throw data.damaged("it has \(words) words") }
    }

    private static func bits(_ most: Int) -> Int { Int.bitWidth - most.leadingZeroBitCount }
}

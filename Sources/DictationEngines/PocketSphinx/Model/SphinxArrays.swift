import DictationCore

/// A file of numbers in the format of Sphinx-3, such as `means`: dimensions, numbers and a checksum.
struct SphinxArrays {
    /// The dimensions, outermost first. For means and variances, the lengths of the vectors follow.
    let dimensions: [Int]
    let values: [Float]
    private let file: String

    /// Reads and checks a file.
    ///
    /// - Parameters:
    ///   - file: The file's path.
    ///   - dimensionCount: The number of dimensions in the file.
    ///   - hasVectors: Whether the lengths of vectors follow the dimensions, as in `means` and `variances`.
    init(file: String, dimensionCount: Int, hasVectors: Bool) throws(DictationError) {
        var data = try SphinxBytes(file: file)
        self.file = file
        guard try data.text(until: 10, limit: 100) == "s3" else { throw data.damaged("it does not begin with “s3”") }
        var hasChecksum = false
        while true {
            let line = try data.text(until: 10, limit: 1_000)
            let words = line.split(separator: " ")
            if words.first == "endhdr" { break }
            // PocketSphinx ignores the value, and ends the process if there is no checksum then.
            if words.first == "chksum0" { hasChecksum = true }
        }
        let order = try data.word()
        guard order == 0x1122_3344 || order == 0x4433_2211 else { throw data.damaged("its byte order is unknown") }
        data.isSwapped = order == 0x4433_2211
        let start = data.offset
        var dimensions: [Int] = []
        for _ in 0..<dimensionCount { dimensions.append(try data.number(1...1_000_000, "a dimension")) }
        var total = 1
        if hasVectors {
            var lengths: [Int] = []
            for _ in 0..<min(dimensions[1], 100) { lengths.append(try data.number(1...10_000, "a vector's length")) }
            total = lengths.reduce(0, +)
            for index in dimensions.indices where index != 1 { total = Self.product(total, dimensions[index]) }
            dimensions += lengths
        } else {
            for dimension in dimensions { total = Self.product(total, dimension) }
        }
        guard try data.number(0...Int(Int32.max), "the number of values") == total, total <= data.left / 4 else {
            throw data.damaged("its dimensions don't fit its size")
        }
        let numbers = data.offset..<(data.offset + 4 * total)
        guard data.isFinite(numbers) else { throw data.damaged("it has values that are not numbers") }
        try data.skip(4 * total)
        if hasChecksum {
            let sum = Self.checksum(data.bytes, start..<data.offset, isSwapped: data.isSwapped)
            guard try data.word() == sum else { throw data.damaged("its checksum is wrong") }
        }
        guard data.left == 0 else { throw data.damaged("it is \(data.left) bytes too long") }
        self.dimensions = dimensions
        let isSwapped = data.isSwapped
        values = data.bytes.withUnsafeBytes { all in
            numbers.count > 4_000_000
                ? []
                : stride(from: numbers.lowerBound, to: numbers.upperBound, by: 4).map {
                    let bits = all.loadUnaligned(fromByteOffset: $0, as: UInt32.self)
                    return Float(bitPattern: isSwapped ? bits.byteSwapped : bits)
                }
        }
    }

    func damaged(_ what: String) -> DictationError {
        DictationError(
            .modelInvalid, "The model's file “\(file)” is damaged: \(what).", recovery: "Install the model again.")
    }

    private static func product(_ a: Int, _ b: Int) -> Int {
        let (product, overflows) = a.multipliedReportingOverflow(by: b)
        return overflows ? Int.max : product
    }

    private static func checksum(_ bytes: [UInt8], _ range: Range<Int>, isSwapped: Bool) -> UInt32 {
        bytes.withUnsafeBytes { all in
            var sum: UInt32 = 0
            var offset = range.lowerBound
            while offset < range.upperBound {
                let bits = all.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
                sum = (sum << 20 | sum >> 12) &+ (isSwapped ? bits.byteSwapped : bits)
                offset += 4
            }
            return sum
        }
    }
}

import DictationCore
import DictationSystem

/// Reads numbers from a model's file, and never past its end.
struct SphinxBytes {
    let bytes: [UInt8]
    let file: String
    private(set) var offset = 0
    var isSwapped = false

    init(file: String) throws(DictationError) {
        self.file = file
        bytes = try FileListing.contents(of: file)
    }

    var left: Int { bytes.count - offset }

    mutating func skip(_ count: Int) throws(DictationError) {
        guard count >= 0, count <= left else { throw damaged("it ends too early") }
        offset += count
    }

    mutating func word() throws(DictationError) -> UInt32 {
        let start = offset
        try skip(4)
        let value = bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: start, as: UInt32.self) }
        return isSwapped ? value.byteSwapped : value
    }

    /// Reads a number and throws when it lies outside of a range.
    mutating func number(_ range: ClosedRange<Int>, _ what: String) throws(DictationError) -> Int {
        let value = Int(Int32(bitPattern: try word()))
        guard range.contains(value) else { throw damaged("\(what) is \(value)") }
        return value
    }

    /// Reads text up to the byte `end` and skips that byte.
    mutating func text(until end: UInt8, limit: Int) throws(DictationError) -> String {
        let part = bytes[offset...].prefix(limit)
        guard let stop = part.firstIndex(of: end) else { throw damaged("a text in it has no end") }
        let text = String(decoding: bytes[offset..<stop], as: UTF8.self)
        offset = stop + 1
        return text
    }

    func damaged(_ what: String) -> DictationError {
        DictationError(
            .modelInvalid, "The model's file “\(file)” is damaged: \(what).", recovery: "Install the model again.")
    }

    /// Whether all floating-point numbers in a range of bytes are finite.
    func isFinite(_ range: Range<Int>) -> Bool {
        bytes.withUnsafeBytes { all in
            var start = range.lowerBound
            while start + 4 <= range.upperBound {
                var bits = all.loadUnaligned(fromByteOffset: start, as: UInt32.self)
                if isSwapped { bits = bits.byteSwapped }
                if bits & 0x7F80_0000 == 0x7F80_0000 { return false }
                start += 4
            }
            return true
        }
    }
}

import DictationCore
import DictationPlatform

/// Splits a stream of bytes into lines. Memory use does not depend on the length of the stream.
final class LineReader {
    /// A line without its end.
    enum Line {
        case text([UInt8])
        /// A line that is longer than the limit. Its text is skipped.
        case tooLong
    }

    private let read: (inout [UInt8]) throws(DictationError) -> Int
    private let limit: Int
    private var block = [UInt8](repeating: 0, count: 1 << 16)
    private var filled = 0
    private var place = 0
    private var isAtEnd = false

    /// Creates a reader.
    ///
    /// - Parameters:
    ///   - limit: The greatest number of bytes in a line.
    ///   - read: Fills a block and returns the number of bytes; 0 at the end.
    init(limit: Int = 16 << 20, read: @escaping (inout [UInt8]) throws(DictationError) -> Int) {
        self.limit = limit
        self.read = read
    }

    /// Where the present line ends in the block; `nil` if it goes on.
    private var lineEnd: Int? {
        block.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress,
                let end = memchr(start + place, Int32(UInt8(ascii: "\n")), filled - place)
            else { return nil }
            return UnsafeRawPointer(end) - start
        }
    }

    /// Returns the next line; `nil` at the end. The last line needs no line end.
    func next() throws(DictationError) -> Line? {
        var line: [UInt8] = []
        var isTooLong = false
        var isEmpty = true
        while true {
            if place == filled {
                if !isAtEnd {
                    (filled, place) = (try read(&block), 0)
                    isAtEnd = filled == 0
                }
                if isAtEnd { return isEmpty ? nil : isTooLong ? .tooLong : .text(line) }
            }
            isEmpty = false
            let end = lineEnd ?? filled
            if line.count + end - place > limit { isTooLong = true }
            if isTooLong { line = [] } else { line += block[place..<end] }
            let isWhole = end < filled
            place = isWhole ? end + 1 : end
            if isWhole { return isTooLong ? .tooLong : .text(line) }
        }
    }
}

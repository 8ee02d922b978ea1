import DictationCore
import DictationSystem

/// Splits a stream of bytes into lines. Memory use does not depend on the length of the stream.
final class LineReader {
    /// A line without its end.
    enum Line {
        case text([UInt8])
        /// A line that is longer than the limit. Its text is skipped.
        case tooLong
    }

    private let read: (inout [UInt8]) throws(DictationError) -> Int
    private var lines: LineBuffer
    private var block = [UInt8](repeating: 0, count: 1 << 16)

    /// Creates a reader.
    ///
    /// - Parameters:
    ///   - limit: The greatest number of bytes in a line.
    ///   - read: Fills a block and returns the number of bytes; 0 at the end.
    init(limit: Int = 16 << 20, read: @escaping (inout [UInt8]) throws(DictationError) -> Int) {
        self.read = read
        lines = LineBuffer(limit: limit, skipsLongLines: true, keepsReturns: true)
    }

    /// Returns the next line; `nil` at the end. The last line needs no line end.
    func next() throws(DictationError) -> Line? {
        while true {
            switch lines.next() {
            case .line(let text): return .text(text)
            case .tooLong: return .tooLong
            case .incomplete: break
            }
            let count = try read(&block)
            guard count > 0 else { break }
            lines.append(block[..<count])
        }
        switch lines.takeRest() {
        case .line(let text)?: return .text(text)
        case .tooLong?: return .tooLong
        case .incomplete?, nil: return nil
        }
    }
}

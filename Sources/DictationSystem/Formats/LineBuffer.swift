import Glibc

/// Cuts bytes into lines as they come, none of them longer than a limit.
package struct LineBuffer: Sendable {
    package enum Next: Hashable {
        /// A line without its end.
        case line([UInt8])
        /// The next line is not complete.
        case incomplete
        /// The next line is longer than the limit. No line follows, unless long lines are skipped.
        case tooLong
    }

    private let limit: Int
    private let skipsLongLines: Bool
    private let keepsReturns: Bool
    private var bytes: [UInt8] = []
    /// The beginning of the next line.
    private var start = 0
    /// How far the next line was searched for its end.
    private var searched = 0
    /// Whether the beginning of the next line is gone, because it is too long.
    private var isTooLong = false

    /// Creates a buffer.
    ///
    /// - Parameters:
    ///   - limit: The most bytes in a line, without its end.
    ///   - skipsLongLines: Whether lines follow after one that is too long.
    ///   - keepsReturns: Whether a carriage return before a line's end is a part of the line.
    package init(limit: Int, skipsLongLines: Bool = false, keepsReturns: Bool = false) {
        (self.limit, self.skipsLongLines, self.keepsReturns) = (limit, skipsLongLines, keepsReturns)
    }

    /// The number of bytes that were not returned yet.
    package var count: Int { bytes.count - start }

    package mutating func append(_ new: some Sequence<UInt8>) {
        guard skipsLongLines || !isTooLong else { return }
        if start > 0 {
            bytes.removeFirst(start)
            searched -= start
            start = 0
        }
        bytes += new
    }

    package mutating func next() -> Next {
        guard skipsLongLines || !isTooLong else { return .tooLong }
        let end = lineEnd
        if (end ?? bytes.count) - start > limit { isTooLong = true }
        guard let end else {
            if isTooLong { (bytes, start) = ([], 0) }
            searched = bytes.count
            return isTooLong && !skipsLongLines ? .tooLong : .incomplete
        }
        var line = bytes[start..<end]
        (start, searched) = (end + 1, end + 1)
        guard !isTooLong else {
            isTooLong = !skipsLongLines
            return .tooLong
        }
        if !keepsReturns, line.last == UInt8(ascii: "\r") { line.removeLast() }
        return .line(Array(line))
    }

    /// Takes bytes that follow a line and are none; `nil` if some of them are still to come.
    package mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
        guard count >= 0, bytes.count - start >= count else { return nil }
        defer { (start, searched) = (start + count, start + count) }
        return bytes[start..<start + count]
    }

    /// Takes the bytes after the last end of a line; `nil` if there are none.
    package mutating func takeRest() -> Next? {
        defer { (bytes, start, searched) = ([], 0, 0) }
        if isTooLong { return .tooLong }
        return start < bytes.count ? .line(Array(bytes[start...])) : nil
    }

    private var lineEnd: Int? {
        bytes.withUnsafeBytes { all in
            guard searched < all.count, let base = all.baseAddress,
                let end = memchr(base + searched, Int32(UInt8(ascii: "\n")), all.count - searched)
            else { return nil }
            return UnsafeRawPointer(end) - base
        }
    }
}

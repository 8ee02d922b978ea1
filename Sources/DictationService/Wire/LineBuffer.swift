/// Cuts received bytes into lines, none of them longer than a limit.
struct LineBuffer {
    enum Next: Hashable {
        /// A line without its end.
        case line([UInt8])
        /// The next line is not complete.
        case incomplete
        /// The next line is longer than the limit. No line follows.
        case tooLong
    }

    private let limit: Int
    private var bytes: [UInt8] = []
    /// The beginning of the next line.
    private var start = 0
    /// How far the next line was searched for its end.
    private var searched = 0
    private var isTooLong = false

    /// Creates a buffer.
    ///
    /// - Parameter limit: The most bytes in a line, without its end.
    init(limit: Int) { self.limit = limit }

    mutating func append(_ new: some Sequence<UInt8>) {
        guard !isTooLong else { return }
        if start > 0 {
            bytes.removeFirst(start)
            searched -= start
            start = 0
        }
        bytes += new
    }

    mutating func next() -> Next {
        guard !isTooLong else { return .tooLong }
        let end = bytes[searched...].firstIndex(of: UInt8(ascii: "\n"))
        guard (end ?? bytes.count) - start <= limit else {
            (bytes, start, searched, isTooLong) = ([], 0, 0, true)
            return .tooLong
        }
        guard let end else {
            searched = bytes.count
            return .incomplete
        }
        var line = bytes[start..<end]
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        (start, searched) = (end + 1, end + 1)
        return .line(Array(line))
    }
}

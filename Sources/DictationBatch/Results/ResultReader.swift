import DictationCore
import DictationSystem

/// Reads a file of results.
final class ResultReader {
    private let path: String
    /// Where the last whole line ends.
    private(set) var end: Int64 = 0

    init(_ path: String) { self.path = path }

    /// Reads the file, and passes each record with the place of its line. Stops at torn lines at the end: a killed process
    /// leaves a line without its end, and a power failure leaves lines of zeros.
    ///
    /// - Returns: The settings; `nil` if even the first line is torn.
    /// - Throws: `invalidInput` if any other line is wrong. It may be somebody's data, so it is never cut off.
    func read(
        from file: borrowing OpenFile, _ take: (BatchRecord, Range<Int64>) -> Void
    ) throws(DictationError) -> BatchSettings? {
        try file.rewind()
        let descriptor = file.descriptor
        let path = path
        let lines = LineReader(limit: 1 << 30) { block throws(DictationError) in
            while true {
                let count = Glibc.read(descriptor, &block, block.count)
                if count >= 0 { return count }
                guard errno == EINTR else { throw .file("read", path, errno) }
            }
        }
        let size = file.status?.byteCount ?? 0
        var settings: BatchSettings?
        var number = 0
        var torn: Int?
        while let line = try lines.next() {
            number += 1
            guard case .text(let text) = line else { throw damaged(number) }
            let start = end
            // The last line counts only with its end.
            guard start + Int64(text.count) < size else { break }
            if number == 1, let first = Self.settings(text) {
                settings = first
            } else if number > 1, let record = BatchRecord(json: text) {
                if let torn { throw damaged(torn) }
                take(record, start..<start + Int64(text.count))
            } else if text.contains(0) {
                torn = torn ?? number
                continue
            } else {
                throw damaged(number)
            }
            end = start + Int64(text.count) + 1
        }
        return settings
    }

    private static func settings(_ text: [UInt8]) -> BatchSettings? {
        JSONObject(text)?["settings"].flatMap { JSONText.decoded(BatchSettings.self, from: $0) }
    }

    private func damaged(_ line: Int) -> DictationError {
        line == 1
            ? DictationError(
                .invalidInput, "“\(visible(path))” has no results of this version of the program.",
                recovery: "Choose another folder.")
            : DictationError(
                .invalidInput, "Line \(line) of “\(visible(path))” is damaged.",
                recovery: "Delete the lines from there on, then go on with the rest.")
    }
}

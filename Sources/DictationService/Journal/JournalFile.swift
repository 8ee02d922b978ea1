import DictationCore
import DictationSystem

/// A file of lines that is never rewritten in place: lines are appended, and a shorter file replaces a long one.
struct JournalFile {
    /// The size of the lines that a new file begins with. At least one line is kept, however long.
    private static let byteLimit = 16 << 20
    private let path: String
    private let limit: Int
    /// The numbers of lines and bytes; `nil` when the file was not read yet, or may end in a part of a line.
    private var size: (lines: Int, bytes: Int)?

    init(path: String, limit: Int) {
        self.path = path
        self.limit = limit
    }

    /// Returns the complete lines, the oldest first.
    func lines() throws(DictationError) -> [ArraySlice<UInt8>] {
        guard let bytes = try OpenFile.reading(path)?.readAll(limit: 16 * Self.byteLimit),
            let end = bytes.lastIndex(of: UInt8(ascii: "\n"))
        else { return [] }
        return bytes[..<end].split(separator: UInt8(ascii: "\n"))
    }

    /// Adds a line, and returns once the disk has stored it.
    mutating func append(_ line: [UInt8]) throws(DictationError) {
        let folder = try Folder.making(parent, .own)
        let name = try fileName
        let known = size
        // A write that fails may leave a part of its line.
        size = nil
        guard let known, known.lines < 2 * limit, known.bytes < 2 * Self.byteLimit else {
            return try replace(name, in: folder, adding: line)
        }
        let file = try folder.openOrCreate(name, .own)
        guard file.goToEnd() == Int64(known.bytes) else { return try replace(name, in: folder, adding: line) }
        try file.write(line + [UInt8(ascii: "\n")])
        try file.sync()
        size = (known.lines + 1, known.bytes + line.count + 1)
    }

    mutating func remove() throws(DictationError) {
        size = nil
        guard let folder = try Folder.existing(parent) else { return }
        try folder.remove(fileName)
    }

    /// Writes the newest lines and a new one into a new file, which then takes the place of the old one.
    private mutating func replace(
        _ name: FileName, in folder: borrowing Folder, adding line: [UInt8]
    ) throws(DictationError) {
        var kept: [ArraySlice<UInt8>] = [line[...]]
        var byteCount = line.count + 1
        for old in try lines().suffix(limit - 1).reversed() {
            byteCount += old.count + 1
            guard byteCount <= Self.byteLimit else { break }
            kept.append(old)
        }
        let bytes = Array(kept.reversed().flatMap { $0 + [UInt8(ascii: "\n")] })
        try folder.write(bytes, to: name, .own)
        try folder.sync()
        size = (kept.count, bytes.count)
    }

    private var parent: String { PathBytes(path).folderToOpen }

    private var fileName: FileName {
        get throws(DictationError) {
            guard let name = try? FileName(anySpelling: path.utf8.split(separator: 0x2F).last ?? []) else {
                throw DictationError(
                    .invalidInput, "The path of the journal, “\(path)”, has no file name.",
                    recovery: "Give the path of a file.")
            }
            return name
        }
    }
}

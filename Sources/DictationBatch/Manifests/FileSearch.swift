import DictationCore
import DictationSystem

/// The files below a folder that match a pattern, in the order of their names. Keeps only the names of the folders on the
/// way in memory.
///
/// In a pattern, `*`, `?` and `[a-z]` stand for letters of one name, and `**` for any number of folders. Hidden files need
/// a pattern with a dot. Links to folders are not followed, because they can form circles.
struct FileSearch {
    /// A file, or a file or folder that can't be read.
    struct Found {
        let path: String
        var fault: DictationError?
    }

    private struct Level {
        let names: [FileName]
        var next = 0
    }

    private let root: String
    private let parts: [String]
    private let endings: Set<String>?
    /// The folders from the root to the present one, and what was not looked at there.
    private var way: [FileName] = []
    private var levels: [Level]

    /// The name extensions of recordings.
    private static let recordings: Set<String> = [
        "wav", "flac", "ogg", "oga", "opus", "mp3", "m4a", "aac", "aif", "aiff", "aifc", "caf", "au", "w64", "wma",
        "amr", "mp4", "mkv", "webm", "mov", "avi", "sph", "nist",
    ]

    /// Searches a folder for recordings.
    init(folder: String) throws(DictationError) {
        try self.init(
            root: folder.utf8.last == UInt8(ascii: "/") ? folder : folder + "/", ["**", "*"], Self.recordings)
    }

    /// Searches for the files of a pattern such as `calls/**/*.wav`.
    init(pattern: String) throws(DictationError) {
        let all = pattern.utf8.split(separator: UInt8(ascii: "/")).map { String(decoding: Array($0), as: UTF8.self) }
        let fixed = all.prefix { !Self.isPattern($0) }
        let root = (pattern.utf8.first == UInt8(ascii: "/") ? "/" : "") + fixed.map { $0 + "/" }.joined()
        try self.init(root: root, Array(all[fixed.count...]), nil)
    }

    private init(root: String, _ parts: [String], _ endings: Set<String>?) throws(DictationError) {
        (self.root, self.parts, self.endings) = (root, parts, endings)
        levels = [Level(names: try Self.names(in: root.isEmpty ? "." : root))]
    }

    /// Whether a path has wildcards.
    static func isPattern(_ path: String) -> Bool { path.utf8.contains { $0 == 0x2A || $0 == 0x3F || $0 == 0x5B } }

    private static func names(in folder: String) throws(DictationError) -> [FileName] {
        guard let open = try Folder.existing(folder) else { throw .missing("open", folder) }
        return try open.names()
    }

    /// Returns the next file; `nil` after the last.
    mutating func next() -> Found? {
        while !levels.isEmpty {
            let level = levels.count - 1
            guard levels[level].next < levels[level].names.count else {
                levels.removeLast()
                _ = way.popLast()
                continue
            }
            let name = levels[level].names[levels[level].next]
            levels[level].next += 1
            let place = way + [name]
            let path = root + place.map(\.text).joined(separator: "/")
            let isFile = isWanted(name) && Self.matches(place[...], parts[...])
            if !name.isText {
                // Its path as text is that of no file.
                guard isFile || canLead(place) else { continue }
                return Found(path: path, fault: .nameIsNoText(path))
            }
            do throws(DictationError) {
                if try Self.isFolder(path) {
                    guard canLead(place) else { continue }
                    levels.append(Level(names: try Self.names(in: path)))
                    way.append(name)
                } else if isFile, FileListing.hasFile(path) {
                    return Found(path: path)
                }
            } catch {
                guard isFile || canLead(place) else { continue }
                return Found(path: path, fault: error)
            }
        }
        return nil
    }

    /// Whether files below a folder can match.
    private func canLead(_ folder: [FileName]) -> Bool {
        for (name, part) in zip(folder, parts) {
            if part == "**" { return folder.allSatisfy { $0.bytes[0] != UInt8(ascii: ".") } }
            guard Self.matches(name, part) else { return false }
        }
        return folder.count < parts.count
    }

    private func isWanted(_ name: FileName) -> Bool {
        guard let endings else { return true }
        let parts = name.bytes.split(separator: UInt8(ascii: "."))
        return parts.count > 1 && endings.contains(String(decoding: parts[parts.count - 1], as: UTF8.self).lowercased())
    }

    private static func matches(_ names: ArraySlice<FileName>, _ parts: ArraySlice<String>) -> Bool {
        guard let part = parts.first else { return names.isEmpty }
        if part == "**", matches(names, parts.dropFirst()) { return true }
        guard let name = names.first else { return false }
        return part == "**"
            ? name.bytes[0] != UInt8(ascii: ".") && matches(names.dropFirst(), parts)
            : matches(name, part) && matches(names.dropFirst(), parts.dropFirst())
    }

    private static func matches(_ name: FileName, _ part: String) -> Bool { fnmatch(part, name.text, FNM_PERIOD) == 0 }

    /// Whether there is a folder at a path. Throws if the system can't tell, for example because the path is too long.
    private static func isFolder(_ path: String) throws(DictationError) -> Bool {
        var status = stat()
        if lstat(path, &status) == 0 { return status.st_mode & S_IFMT == S_IFDIR }
        // It was removed since it was listed.
        if errno == ENOENT || errno == ENOTDIR { return false }
        throw .file("open", path, errno)
    }
}

extension FileName {
    fileprivate var isText: Bool { String(validating: bytes, as: UTF8.self) != nil }
}

extension DictationError {
    fileprivate static func nameIsNoText(_ path: String) -> DictationError {
        DictationError(
            .fileUnreadable, "The name of “\(visible(path))” is not text in UTF-8.", recovery: "Rename it.")
    }
}

import DictationCore
import FoundationEssentials
import Glibc

/// The parts of a path, to make names beside it. Works on bytes, as the system does: to Swift, a slash
/// and a mark after it are one character.
struct FilePath: Sendable {
    private static let slash = UInt8(ascii: "/")

    /// Everything up to the last slash.
    private let folder: [UInt8]
    private let stem: [UInt8]
    /// From the last dot on, unless the name starts with it.
    private let ending: [UInt8]

    init(_ path: String) {
        let bytes = Array(path.utf8)
        let start = bytes.lastIndex(of: Self.slash).map { $0 + 1 } ?? 0
        let dot = bytes.lastIndex(of: UInt8(ascii: ".")).flatMap { $0 > start ? $0 : nil } ?? bytes.endIndex
        folder = Array(bytes[..<start])
        stem = Array(bytes[start..<dot])
        ending = Array(bytes[dot...])
    }

    /// The last part of a path, without slashes at its end, or the path itself if it has no parts.
    static func lastName(of path: String) -> String {
        String(decoding: Array(path.utf8).split(separator: slash).last ?? Array(path.utf8)[...], as: UTF8.self)
    }

    /// Returns the path from the root on, for a program that works in another folder.
    static func fromRoot(_ path: String) -> String {
        guard path.utf8.first != slash, let folder = getcwd(nil, 0) else { return path }
        defer { free(folder) }
        return String(cString: folder) + "/" + path
    }

    static func endsWithSlash(_ path: String) -> Bool { path.utf8.last == slash }

    /// Whether a path is the same as another path, or lies below it.
    static func isBelow(_ path: String, _ folder: String) -> Bool {
        path.utf8.elementsEqual(folder.utf8) || path.utf8.starts(with: Array(folder.utf8) + [slash])
    }

    /// Whether the name has this ending, in letters of either case.
    func hasEnding(_ other: String) -> Bool {
        ending.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 } == Array(".\(other)".utf8)
    }

    /// The folder that the name is in, to open it.
    var folderToOpen: String { folder.isEmpty ? "." : Self.text(folder) }

    /// The path with a number before its ending; the first has none.
    func numbered(_ number: Int) -> String {
        Self.text(folder + stem + (number > 1 ? Array("-\(number)".utf8) : []) + ending)
    }

    /// The path without its ending.
    var withoutEnding: String { Self.text(folder + stem) }

    /// The path with another ending.
    func withEnding(_ ending: String) -> String { Self.text(folder + stem + Array(".\(ending)".utf8)) }

    /// An unpredictable path beside it, for an incomplete file.
    var unfinished: String {
        let number = (0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 36) }.joined()
        // Names have a maximum length; this one must always fit.
        return Self.text(folder + Array(".\(number).part".utf8))
    }

    /// `O_PATH`, which glibc declares for GNU sources only.
    private static let onlyForStatus: Int32 = 0o10_000_000

    /// The target of a link, even if it does not exist yet; `nil` if the link belongs to neither the user nor root.
    static func followingLinks(_ path: String, of user: uid_t) -> String? {
        var path = path
        // The system follows the same number of links.
        for _ in 0..<40 {
            // Nobody can exchange the link between the look at its owner and the look at its target.
            let link = open(path, onlyForStatus | O_NOFOLLOW | O_CLOEXEC)
            guard link >= 0 else { break }
            defer { close(link) }
            var (info, bytes) = (stat(), [CChar](repeating: 0, count: Int(PATH_MAX)))
            let count = readlinkat(link, "", &bytes, bytes.count)
            guard count > 0 else { break }
            guard fstat(link, &info) == 0, info.st_uid == user || info.st_uid == 0 else { return nil }
            let target = bytes[..<count].map { UInt8(bitPattern: $0) }
            path = text(target.first == slash ? target : FilePath(path).folder + target)
        }
        return path
    }

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}

/// Returns the text of a file that the command line names.
///
/// - Parameter kind: What the file is, such as “grammar”.
func textFile(_ path: String, _ kind: String) throws(DictationError) -> String {
    // Reading a pipe or a device could block forever.
    guard FileIdentity(path: path)?.isRegular == true,
        let text = try? String(contentsOf: URL(filePath: path), encoding: .utf8)
    else {
        throw DictationError(
            .invalidInput, "The \(kind) “\(path)” can't be read.",
            recovery: "Check the path. A \(kind) is a text file in UTF-8.")
    }
    return text
}

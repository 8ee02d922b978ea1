import Glibc

/// A path in its parts, for the names beside it.
struct FilePath: Sendable {
    /// All through the last slash.
    private let folder: String
    private let stem: String
    private let ending: String

    init(_ path: String) {
        let name = path.lastIndex(of: "/").map { path[path.index(after: $0)...] } ?? path[...]
        let dot = name.lastIndex(of: ".").flatMap { $0 > name.startIndex ? $0 : nil } ?? name.endIndex
        folder = String(path[..<name.startIndex])
        stem = String(name[..<dot])
        ending = String(name[dot...])
    }

    /// The path with a number before its ending; the first has none.
    func numbered(_ number: Int) -> String { folder + stem + (number > 1 ? "-\(number)" : "") + ending }

    /// The path with another ending.
    func withEnding(_ ending: String) -> String { "\(folder)\(stem).\(ending)" }

    /// Where it is made, unseen, before it has its name.
    var unfinished: String { "\(folder).\(stem)\(ending).\(getpid()).part" }

    /// The path that a link leads to, also where nothing is yet.
    static func followingLinks(_ path: String) -> String {
        var path = path
        // As many as the system follows.
        for _ in 0..<40 {
            var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
            let count = readlink(path, &bytes, bytes.count)
            guard count > 0 else { break }
            let link = String(decoding: bytes[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
            path = link.hasPrefix("/") ? link : FilePath(path).folder + link
        }
        return path
    }
}

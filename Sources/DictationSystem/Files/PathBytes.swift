/// The bytes of a path that the user chose. It may point anywhere, because the user chose it.
package struct PathBytes {
    private static let slash = UInt8(ascii: "/")
    private let bytes: [UInt8]

    package init(_ text: String) { bytes = Array(text.utf8) }

    /// Whether the path starts at the root, and so does not depend on the current folder.
    package var isAbsolute: Bool { bytes.first == Self.slash }

    /// The last name in the path, without slashes at the path's end. Without any name, the whole path.
    package var lastName: String {
        let name = bytes.split(separator: Self.slash).last.map(Array.init) ?? bytes
        return String(decoding: name, as: UTF8.self)
    }

    /// The path without slashes at its end. The root keeps its slash.
    package var withoutSlashAtEnd: String {
        let end = bytes.lastIndex { $0 != Self.slash }.map { $0 + 1 } ?? min(bytes.count, 1)
        return String(decoding: bytes[..<end], as: UTF8.self)
    }

    /// The folder in which the path is, to open it: the current one for a mere name.
    package var folderToOpen: String { folder ?? (isAbsolute ? "/" : ".") }

    /// The path up to its last slash, or `nil` if the path has no slash or is in the root.
    package var folder: String? {
        bytes.lastIndex(of: Self.slash).flatMap { $0 > 0 ? String(decoding: bytes[..<$0], as: UTF8.self) : nil }
    }
}

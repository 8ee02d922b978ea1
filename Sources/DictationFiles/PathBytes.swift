/// What the bytes of a path say that the user chose. It may lead anywhere: it is the user's own.
package struct PathBytes {
    private static let slash = UInt8(ascii: "/")
    private let bytes: [UInt8]

    package init(_ text: String) { bytes = Array(text.utf8) }

    /// Whether it starts at the root, so that it means the same wherever the program runs.
    package var isAbsolute: Bool { bytes.first == Self.slash }

    /// The part after the last slash, slashes at the end aside; the whole path when there is no such part.
    package var lastName: String {
        let name = bytes.split(separator: Self.slash).last.map(Array.init) ?? bytes
        return String(decoding: name, as: UTF8.self)
    }

    /// The path without slashes at its end, except the root's.
    package var withoutSlashAtEnd: String {
        let end = bytes.lastIndex { $0 != Self.slash }.map { $0 + 1 } ?? min(bytes.count, 1)
        return String(decoding: bytes[..<end], as: UTF8.self)
    }

    /// The path up to its last slash; `nil` when it has none, or lies in the root.
    package var folder: String? {
        bytes.lastIndex(of: Self.slash).flatMap { $0 > 0 ? String(decoding: bytes[..<$0], as: UTF8.self) : nil }
    }
}

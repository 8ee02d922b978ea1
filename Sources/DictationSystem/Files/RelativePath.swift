/// A path below a folder. It never points outside the folder.
package struct RelativePath: Hashable, Comparable, Sendable {
    /// The names in the path. There is at least one.
    package let names: [FileName]

    /// The largest numbers of bytes and of names in a path.
    private static let (mostBytes, mostNames) = (1_024, 16)

    /// Creates a path that a catalog, an archive or a program chose. Ignores `.` and doubled slashes.
    package init(_ bytes: some Sequence<UInt8>) throws(FileNameFault) {
        let bytes = Array(bytes)
        guard bytes.first != 0x2F else { throw .absolute }
        guard bytes.count <= Self.mostBytes else { throw .tooLong }
        var names: [FileName] = []
        for part in bytes.split(separator: 0x2F) where !part.elementsEqual([0x2E]) {
            names.append(try FileName(part))
        }
        guard !names.isEmpty else { throw .empty }
        guard names.count <= Self.mostNames else { throw .tooDeep }
        self.names = names
    }

    /// Creates a path that a catalog, an archive or a program chose.
    package init(_ text: String) throws(FileNameFault) { try self.init(text.utf8) }

    package init(_ name: FileName) { names = [name] }

    private init(checked names: [FileName]) { self.names = names }

    /// The path as text. Use it to show or save the path, but not to compare paths.
    package var text: String { names.map(\.text).joined(separator: "/") }

    /// The first folder in the path and the path below it, or `nil` if the path is a single name.
    var step: (folder: FileName, rest: RelativePath)? {
        names.count > 1 ? (names[0], RelativePath(checked: Array(names.dropFirst()))) : nil
    }

    /// Returns the part of the path below a folder, or `nil` if the path is not below the folder.
    package func below(_ folder: RelativePath?) -> RelativePath? {
        guard let folder else { return self }
        guard names.count > folder.names.count, names.starts(with: folder.names) else { return nil }
        return RelativePath(checked: Array(names.dropFirst(folder.names.count)))
    }

    /// The folders that it lies in, the nearest last; not the one that it is relative to.
    package var folders: [RelativePath] {
        names.indices.dropFirst().map { RelativePath(checked: Array(names[..<$0])) }
    }

    package func appending(_ name: FileName) -> RelativePath { RelativePath(checked: names + [name]) }

    package func appending(_ path: RelativePath) -> RelativePath { RelativePath(checked: names + path.names) }

    package static func < (one: RelativePath, other: RelativePath) -> Bool {
        one.names.lexicographicallyPrecedes(other.names)
    }
}

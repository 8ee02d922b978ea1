import Foundation

/// A folder that is gone when the test is over.
package final class TemporaryFolder: Sendable {
    package let path: String

    /// Makes the folder.
    package init() throws {
        path = FileManager.default.temporaryDirectory.path + "/catalog-\(UUID().uuidString)"
        // Whatever the umask, others can't write to it.
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The path of a file in the folder.
    package func file(_ name: String) -> String { path + "/" + name }

    /// Writes a file; its path.
    package func write(_ bytes: [UInt8], to name: String) throws -> String {
        try Data(bytes).write(to: URL(fileURLWithPath: file(name)))
        return file(name)
    }
}

/// The names in a folder, sorted; none when it isn't there.
package func names(in folder: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
}

/// Whether there is anything at a path, be it a link.
package func isThere(_ path: String) -> Bool { (try? FileManager.default.attributesOfItem(atPath: path)) != nil }

/// The size of a regular file.
package func byteCount(_ path: String) -> Int? {
    guard let attributes = try? FileManager.default.attributesOfItem(atPath: path) else { return nil }
    return attributes[.type] as? FileAttributeType == .typeRegular ? attributes[.size] as? Int : nil
}

package func makeFolder(_ path: String) throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
}

import CFiles
package import DictationCore
import DictationPlatform

/// A file for a C library to read. It lies in memory and has no name: nothing of it stays, however the process ends, and a
/// process that may write no files can make it.
package struct TemporaryFile: ~Copyable {
    package let descriptor: Int32

    /// The path by which it can be opened while this value exists.
    package var path: String { "/proc/self/fd/\(descriptor)" }

    package init(_ text: String) throws(DictationError) { try self.init(Array(text.utf8)) }

    package init(_ bytes: [UInt8]) throws(DictationError) { descriptor = try Self.write(bytes) }

    deinit { close(descriptor) }

    private static func write(_ bytes: [UInt8]) throws(DictationError) -> Int32 {
        let file = dictation_open_nameless()
        guard file >= 0 else { throw .file("make a temporary file in", "memory", -file) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                let code = errno
                close(file)
                throw .file("write a temporary file in", "memory", code)
            }
            rest = rest.dropFirst(count)
        }
        return file
    }
}

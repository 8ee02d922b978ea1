import CSystem
package import DictationCore

/// A file for a C library to read. It lies in memory and has no name: nothing of it stays, however the process ends, and a
/// process that may write no files can make it.
package struct TemporaryFile: ~Copyable {
    private let handle: Descriptor
    package var descriptor: Int32 { handle.number }

    /// The path by which it can be opened while this value exists.
    package var path: String { "/proc/self/fd/\(descriptor)" }

    package init(_ text: String) throws(DictationError) { try self.init(Array(text.utf8)) }

    package init(_ bytes: [UInt8]) throws(DictationError) {
        let file = dictation_open_nameless()
        handle = Descriptor(file)
        guard file >= 0 else { throw .file("make a temporary file in", "memory", -file) }
        let result = bytes.withUnsafeBytes { bytes in
            Result { () throws(SystemError) in try handle.write(bytes) }
        }
        do throws(SystemError) { try result.get() } catch {
            throw .file("write a temporary file in", "memory", error.code)
        }
    }
}

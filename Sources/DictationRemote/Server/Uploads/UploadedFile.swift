import CFiles
import DictationCore
import DictationFiles
import DictationPlatform
import FoundationEssentials

/// An uploaded recording: a file without a name, which the system deletes when nobody uses it any more, however the
/// process ends.
final class UploadedFile: Sendable {
    private let file: OpenFile

    /// Makes the file in the folder for temporary files, or in memory if that folder's disk can't have such files.
    init() throws(DictationError) {
        let folder = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
        var descriptor = dictation_open_unlinked(folder)
        if descriptor < 0 { descriptor = dictation_open_nameless() }
        guard descriptor >= 0 else { throw .file("make a temporary file in", folder, -descriptor) }
        file = OpenFile(descriptor: descriptor, path: folder)
    }

    /// The path by which it can be opened while this object exists.
    var path: String { "/proc/self/fd/\(file.descriptor)" }

    /// Adds bytes at the end.
    func append(_ bytes: UnsafeRawBufferPointer) throws(DictationError) { try file.write(bytes) }
}

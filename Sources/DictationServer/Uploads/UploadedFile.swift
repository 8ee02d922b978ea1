import CSystem
import DictationCore
import DictationHTTP
import DictationSystem
import FoundationEssentials

/// An uploaded recording: a file without a name, which the system deletes when nobody uses it any more, however the
/// process ends.
final class UploadedFile: Sendable {
    private let file: OpenFile
    private let share: ClientUpload

    /// Makes the file in the folder for temporary files, or in memory if that folder's disk can't have such files.
    ///
    /// - Parameter share: The client's room for it, which is free again with the file.
    init(_ share: ClientUpload) throws(DictationError) {
        self.share = share
        let folder = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
        var descriptor = dictation_open_unlinked(folder)
        if descriptor < 0 { descriptor = dictation_open_nameless() }
        guard descriptor >= 0 else { throw .file("make a temporary file in", folder, -descriptor) }
        file = OpenFile(descriptor: descriptor, path: folder)
    }

    /// The path by which it can be opened while this object exists.
    var path: String { "/proc/self/fd/\(file.descriptor)" }

    /// Adds bytes at the end.
    func append(_ bytes: UnsafeRawBufferPointer) throws(ServerRefusal) {
        do throws(ClientPlaces.Refusal) { try share.grow(by: bytes.count) } catch { throw .busy(error) }
        do throws(DictationError) { try file.write(bytes) } catch { throw ServerRefusal(error) }
    }
}

#if ModelCatalog || Batch
import CArchive
import DictationCore
import DictationSystem

extension DictationError.Underlying {
    /// What libarchive says about its last failure with an archive.
    init(archive: OpaquePointer) {
        self.init(
            domain: "libarchive", code: Int(archive_errno(archive)),
            message: archive_error_string(archive).map { visible(String(cString: $0)) })
    }
}
#endif

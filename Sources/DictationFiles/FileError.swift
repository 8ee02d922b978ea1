package import DictationCore
import Glibc

extension DictationError {
    /// A file or folder that is not there.
    package static func missing(_ action: String, _ path: String) -> DictationError { .file(action, path, ENOENT) }

    /// What the system said when something was tried with a file; the action completes "can't …".
    package static func file(_ action: String, _ path: String, _ code: Int32) -> DictationError {
        let path = visible(path)
        let words = String(cString: strerror(code))
        let underlying = Underlying(domain: "errno", code: Int(code), message: words)
        switch code {
        case ENOSPC, EDQUOT, EFBIG:
            return DictationError(
                .storageFull, "There is too little space to \(action) '\(path)'.",
                recovery: "Free some space, then try again.", underlying: underlying)
        case EACCES, EPERM, EROFS:
            return DictationError(
                .fileUnreadable, "No permission to \(action) '\(path)'.",
                recovery: "Change the permissions of the file or its folder, or choose another.", underlying: underlying
            )
        case ENOENT:
            return DictationError(
                .fileUnreadable, "Can't \(action) '\(path)': \(words).", recovery: "Check the path.",
                underlying: underlying)
        case ELOOP:
            return DictationError(
                .fileUnreadable, "Can't \(action) '\(path)': it is a link, which is not followed here.",
                recovery: "Put the file or folder itself in the link's place.", underlying: underlying)
        default:
            return DictationError(
                .fileUnreadable, "Can't \(action) '\(path)': \(words).", recovery: "Check the folder and the disk.",
                underlying: underlying)
        }
    }
}

package import DictationCore

extension DictationError {
    /// Returns the error for a file or folder that does not exist.
    ///
    /// - Parameters:
    ///   - action: What the program tried. It completes "can't …".
    ///   - path: The path of the file or folder.
    package static func missing(_ action: String, _ path: String) -> DictationError { .file(action, path, ENOENT) }

    /// Returns the error for a failed system call on a file.
    ///
    /// - Parameters:
    ///   - action: What the program tried. It completes "can't …".
    ///   - path: The file's path.
    ///   - code: The value of `errno`.
    package static func file(_ action: String, _ path: String, _ code: Int32) -> DictationError {
        let path = visible(path)
        let words = String(cString: strerror(code))
        let underlying = Underlying(domain: "errno", code: Int(code), message: words)
        switch code {
        case ENOSPC, EDQUOT, EFBIG:
            return DictationError(
                .storageFull, "There is too little space to \(action) “\(path)”.",
                recovery: "Free some space, then try again.", underlying: underlying)
        case EACCES, EPERM, EROFS:
            return DictationError(
                .fileUnreadable, "No permission to \(action) “\(path)”.",
                recovery: "Change the permissions of the file or its folder, or choose another.", underlying: underlying
            )
        case ENOENT:
            return DictationError(
                .fileUnreadable, "Can't \(action) “\(path)”: \(words).", recovery: "Check the path.",
                underlying: underlying)
        case ELOOP:
            return DictationError(
                .fileUnreadable, "Can't \(action) “\(path)”: it is a link, and links are not followed here.",
                recovery: "Replace the link with the file or folder itself.", underlying: underlying)
        default:
            return DictationError(
                .fileUnreadable, "Can't \(action) “\(path)”: \(words).", recovery: "Check the folder and the disk.",
                underlying: underlying)
        }
    }
}

import DictationCore
import Glibc

extension InputFile {
    /// Improves an error at a recording's start with the kind of the file and advice for the user.
    func explain(_ error: DictationError) -> DictationError {
        guard error.code == .fileUnreadable else { return error }
        var error = naming(error)
        var info = stat()
        // A file that can't be opened has its own explanation.
        guard error.underlying?.domain != "errno", stat(path, &info) == 0 else {
            if path.contains("://") { error.recovery = "Download the recording first: only files are read." }
            return error
        }
        switch info.st_mode & S_IFMT {
        case S_IFDIR:
            error.recovery = "Name the recordings in the folder."
        case S_IFREG where info.st_size == 0:
            error = DictationError(
                .fileUnreadable, "\(isTemporary ? "Standard input" : "“\(path)”") is empty.",
                recovery: isTemporary
                    ? "Check the program before the pipe." : "Record it again, or use another file.")
        case S_IFREG:
            // The library's advice is for programs.
            error.recovery = error.recovery?.replacing(
                " Raw samples need a header, or in Swift the format as `raw:`.", with: rawAdvice)
        default:
            error.recovery = "Pass it as standard input: dictate transcribe - <\(quotedForShell(path))"
        }
        return error
    }

    /// Names standard input instead of its copy.
    func naming(_ error: DictationError) -> DictationError {
        var error = error
        if isTemporary { error.message = error.message.replacing("“\(path)”", with: "Standard input") }
        return error
    }

    /// The advice for a file that may contain raw samples; empty for others.
    private var rawAdvice: String {
        let raw = "ffmpeg -f s16le -ar 16000 -ac 1 -i"
        if isTemporary { return " Raw samples need a header: … | \(raw) - -f wav - | dictate transcribe -" }
        let hasEnding = FilePath.lastName(of: path).utf8.contains(UInt8(ascii: "."))
        guard !hasEnding || Self.rawExtensions.contains(where: FilePath(path).hasEnding) else { return "" }
        return " Raw samples need a header: “\(raw) \(quotedForShell(path)) out.wav”"
    }

    private static let rawExtensions = ["pcm", "raw", "s16", "s16le", "sw"]
}

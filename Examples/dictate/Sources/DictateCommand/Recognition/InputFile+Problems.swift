import DictationCore
import Glibc

extension InputFile {
    /// Improves an error at a recording's start with the kind of the file and advice for the user.
    func explain(_ error: DictationError) -> DictationError {
        guard error.code == .fileUnreadable else { return error }
        var error = error
        if isTemporary { error.message = error.message.replacing("“\(path)”", with: "Standard input") }
        var info = stat()
        // A file that can't be opened has its own explanation.
        guard error.underlying?.domain != "errno", stat(path, &info) == 0 else { return error }
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
            guard error.recovery?.contains("raw:") == true else { break }
            let raw = "ffmpeg -f s16le -ar 16000 -ac 1 -i"
            error.recovery =
                "Check that it plays. Raw samples need a header: "
                + (isTemporary
                    ? "… | \(raw) - -f wav - | dictate transcribe -" : "'\(raw) \(quotedForShell(path)) out.wav'")
        default:
            error.recovery = "Pass it as standard input: dictate transcribe - <\(quotedForShell(path))"
        }
        return error
    }
}

import DictationCore
import Glibc

extension InputFile {
    /// Adds to an error at a recording's start what the file is and what the user can do.
    func explain(_ error: DictationError) -> DictationError {
        guard error.code == .fileUnreadable else { return error }
        var error = error
        if isTemporary { error.message = error.message.replacing("“\(path)”", with: "Standard input") }
        var info = stat()
        // A file that can't be opened has its own explanation.
        guard error.underlying?.domain != "errno", stat(path, &info) == 0 else { return error }
        switch info.st_mode & S_IFMT {
        case S_IFDIR:
            error.recovery = "Give the recordings in it."
        case S_IFREG where info.st_size == 0:
            error = DictationError(
                .fileUnreadable, "\(isTemporary ? "Standard input" : "“\(path)”") is empty.",
                recovery: isTemporary
                    ? "Look at what the program before the pipe says." : "Record it again, or give another file.")
        case S_IFREG:
            error.recovery =
                isTemporary
                ? "Convert it: … | ffmpeg -i - -f wav - | dictate transcribe -"
                : "Convert it with 'ffmpeg -i \(quotedForShell(path)) out.wav', and give out.wav."
        default:
            error.recovery = "Give it as standard input: dictate transcribe - <\(quotedForShell(path))"
        }
        return error
    }
}

#if SoundFile
import DictationCore
import DictationSystem

/// A program of FFmpeg that reads one open file and nothing else.
///
/// FFmpeg opens network addresses, devices, playlists and patterns of names unless it is told otherwise. So the program
/// gets the open file and never its name, may use files only, and knows only formats that point to no other file. It is
/// also a ``ConfinedProgram``, because a damaged recording may be made to take it over.
struct FFmpegProgram {
    /// The arguments with which a program opens the file.
    static let input = [
        "-max_alloc", "\(1 << 28)", "-protocol_whitelist", "file", "-format_whitelist",
        FFmpegFormats.allowed, "-i", name,
    ]
    /// The name of the open file in the program.
    private static let name = "file:/proc/self/fd/\(ReadingProgram.descriptor)"

    private let program: ReadingProgram

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - warns: Whether the messages have warnings too. Then each tells its kind, such as `[warning]`.
    ///   - name: The name of the program, which is looked up in `PATH`.
    ///   - arguments: The arguments.
    ///   - file: The file to read.
    /// - Throws: `fileUnreadable` if the program can't be started.
    init(
        _ name: String, warns: Bool = false, _ arguments: [String], reading file: ReadableFile
    ) throws(DictationError) {
        do throws(SystemError) {
            guard let path = InstalledProgram.path(of: name) else { throw SystemError("posix_spawn", code: ENOENT) }
            let confined = ConfinedProgram(
                path, [name, "-v", warns ? "level+warning" : "error"] + arguments, environment: Self.environment)
            program = try ReadingProgram(patience: DecoderLimits.patience) { (output, errors) throws(SystemError) in
                try confined.start([output, errors, file.descriptor])
            }
        } catch { throw Self.notStarted(name, file.path, error) }
    }

    /// Fills as much of the memory as the program still writes.
    func read(into bytes: UnsafeMutableRawBufferPointer) -> Int { program.read(into: bytes) }

    /// Waits for the end of the program.
    ///
    /// - Returns: The exit code, the negative number of the signal that ended the program, or `nil` if it is unknown;
    ///   and the messages without addresses in memory and the file's name in the program.
    func end() -> (status: Int32?, messages: [String]) {
        let (status, messages) = program.end()
        return (
            status,
            messages.map { String($0.replacing(/\ @ 0x[0-9a-f]+/, with: "").replacing(Self.name + ": ", with: "")) }
        )
    }

    /// The variables that find the program's libraries. Others make FFmpeg write reports.
    private static var environment: [String] {
        DictationSystem.environment(keeping: ["PATH", "LD_LIBRARY_PATH"], adding: ["AV_LOG_FORCE_NOCOLOR": "1"])
    }

    private static func notStarted(_ name: String, _ path: String, _ error: SystemError) -> DictationError {
        let underlying = error.underlying
        guard error.code == ENOENT else {
            return DictationError(
                .fileUnreadable, "The program \(name) can't be started to read “\(path)”.",
                recovery: "Check that \(name) may be run, and that it is FFmpeg itself and no script that starts it.",
                underlying: underlying)
        }
        return DictationError(
            .fileUnreadable, "“\(path)” needs FFmpeg, and the program \(name) is not installed.",
            recovery: "Install it with “apt install ffmpeg”, or use WAV, FLAC, Ogg Vorbis, Opus, MP3 or AIFF.",
            underlying: underlying)
    }
}
#endif

import Glibc

/// Where the text goes.
enum Destination: Sendable, Hashable {
    case standardOutput
    case file(String)
    /// A file for each recording, named after it.
    case folder(String)
    /// A file beside each recording, named after it.
    case besideRecordings

    /// Interprets `--output` for a number of recordings.
    ///
    /// - Parameter written: The path as the user wrote it, if the format has added its ending.
    init(
        _ path: String?, sources: Int, format: OutputFormat, writtenAs written: String? = nil
    ) throws(UsageError) {
        if let path, Self.isFolder(path) {
            self = .folder(path)
            return
        }
        guard sources == 1 || format.joinsSources else {
            throw UsageError(
                (written ?? path).map {
                    "“\($0)” is not a folder, and \(format.rawValue) can't hold several recordings: "
                        + "write “\($0)/” to make a folder."
                } ?? "\(format.rawValue) can't hold several recordings: give a folder with --output.",
                command: "transcribe")
        }
        guard let path, path != "-" else {
            self = .standardOutput
            return
        }
        // Opening /dev/stdout again would empty the file behind it.
        let place = FileIdentity(path: path)
        let isOpen = place != nil && place == FileIdentity(descriptor: STDOUT_FILENO)
        self = isOpen ? .standardOutput : .file(path)
    }

    /// Throws for a name that promises something else than text in the format.
    func validateName(for format: OutputFormat) throws(UsageError) {
        guard case .file(let path) = self else { return }
        guard !Self.isRecording(path) else {
            throw UsageError(
                "“\(path)” is a recording, which the text would replace: choose another name with --output.",
                command: "transcribe")
        }
        let promised = OutputFormat(endingOf: path)
        guard promised.map({ $0 != format }) ?? Self.otherEndings.contains(where: FilePath(path).hasEnding) else {
            return
        }
        throw UsageError(
            "“\(path)” is no name for a file in the format \(format.rawValue): use "
                + "“\(FilePath(path).withEnding(format.ending))”.", command: "transcribe")
    }

    /// The endings of recordings and of documents that are no plain text.
    private static let otherEndings = [
        "aac", "aif", "aiff", "amr", "avi", "doc", "docx", "flac", "m4a", "m4v", "mka", "mkv", "mov", "mp3", "mp4",
        "odt", "oga", "ogg", "opus", "pdf", "rtf", "wav", "webm", "wma", "wmv",
    ]

    /// Whether a file begins like a recording, whatever its name or that of a link to it.
    private static func isRecording(_ path: String) -> Bool {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, let file = fopen(path, "re") else {
            return false
        }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 12)
        let count = fread(&bytes, 1, bytes.count, file)
        let marks = ["RIFF", "RF64", "FORM", "fLaC", "OggS", ".snd", "caff", "ID3", "wvpk", "\u{1A}E"]
        return count == bytes.count
            && (marks.contains { bytes.starts(with: $0.utf8) } || bytes[4...].starts(with: "ftyp".utf8)
                || bytes[0] == 0xFF && bytes[1] & 0xE0 == 0xE0 && bytes[1] != 0xFE && bytes[1] != 0xFF)
    }

    /// Whether each recording has a document of its own.
    var isSeparate: Bool {
        switch self {
        case .folder, .besideRecordings: true
        case .standardOutput, .file: false
        }
    }

    static func isFolder(_ path: String) -> Bool {
        var info = stat()
        return FilePath.endsWithSlash(path) || (stat(path, &info) == 0 && info.st_mode & S_IFMT == S_IFDIR)
    }

    /// The files to write: one per recording in a folder, otherwise one for all.
    func paths(for sources: [String], format: OutputFormat) -> [String] {
        switch self {
        case .standardOutput: return []
        case .file(let path): return [path]
        case .folder(let folder):
            let start = folder + (FilePath.endsWithSlash(folder) ? "" : "/")
            return distinct(
                sources.map { source in
                    let name = source == "-" ? "standard-input" : FilePath.lastName(of: source)
                    return start + FilePath(name).withEnding(format.ending)
                })
        case .besideRecordings: return distinct(sources.map { FilePath($0).withEnding(format.ending) })
        }
    }

    /// Adds a number to each path that is there already.
    private func distinct(_ paths: [String]) -> [String] {
        var taken: Set<[UInt8]> = []
        return paths.map { text in
            let path = FilePath(text)
            var number = 1
            while !taken.insert(Array(path.numbered(number).utf8)).inserted { number += 1 }
            return path.numbered(number)
        }
    }

    /// Throws when the text would replace one of the inputs.
    func spare(_ inputs: [String], sources: [String], format: OutputFormat) throws(UsageError) {
        let opened = self == .standardOutput ? FileIdentity(descriptor: STDOUT_FILENO) : nil
        let outputs =
            paths(for: sources, format: format).compactMap { FileIdentity(path: $0) } + [opened].compactMap(\.self)
        for input in inputs {
            let read = input == "-" ? FileIdentity(descriptor: STDIN_FILENO) : FileIdentity(path: input)
            guard let read, read.isRegular, outputs.contains(read) else { continue }
            throw UsageError(
                "The text would replace “\(input == "-" ? "standard input" : input)”, which it is made from: "
                    + "choose another place with --output.")
        }
    }
}

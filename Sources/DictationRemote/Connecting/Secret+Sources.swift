public import DictationCore
import DictationFiles
import DictationPlatform

extension Secret {
    /// Reads a secret from an environment variable.
    ///
    /// - Throws: `DictationError` with the code `invalidInput` if the variable is missing or empty.
    public init(environmentVariable name: String) throws(DictationError) {
        guard let value = getenv(name).map({ String(cString: $0) }), let secret = Secret(line: value) else {
            throw DictationError(
                .invalidInput, "The environment variable “\(name)” has no secret.",
                recovery: "Set it to the token of the server.")
        }
        self = secret
    }

    /// Reads a secret from the first line of a file.
    ///
    /// - Throws: `DictationError` if the file can't be read or its first line is empty.
    public init(file path: String) throws(DictationError) {
        let file = try ReadableFile(path: path)
        var bytes = [UInt8](repeating: 0, count: Self.limit)
        let count = try bytes.withUnsafeMutableBufferPointer { memory throws(DictationError) in
            try file.read(into: UnsafeMutableRawBufferPointer(memory), from: 0)
        }
        bytes.removeLast(bytes.count - count)
        guard let secret = Secret(line: String(decoding: bytes, as: UTF8.self)) else {
            throw DictationError(
                .invalidInput, "The file “\(path)” has no secret.",
                recovery: "Write the token of the server into its first line.")
        }
        self = secret
    }

    /// Reads a secret from the first line that a program writes, such as a password manager.
    ///
    /// - Parameter command: The program, which is looked up in `PATH`, and its arguments. It may take half a minute.
    /// - Throws: `DictationError` with the code `invalidInput` if the program fails or writes nothing.
    public init(command: [String]) throws(DictationError) {
        let name = command.first ?? ""
        func refusal(_ reason: String) -> DictationError {
            DictationError(
                .invalidInput, "The command “\(name)” gives no secret: \(reason).",
                recovery: "Try the command in a terminal. It has to write the token of the server.")
        }
        let file = open("/dev/null", O_RDONLY | O_CLOEXEC)
        defer { close(file) }
        let program: ReadingProgram
        do throws(ReadingProgram.Failure) {
            program = try ReadingProgram(
                command, environment: DictationPlatform.environment(adding: [:]), reading: file,
                patience: (work: 30, rest: 30))
        } catch {
            throw refusal(String(cString: strerror(error.code)))
        }
        let output = [UInt8](unsafeUninitializedCapacity: Self.limit) { memory, count in
            count = program.read(into: UnsafeMutableRawBufferPointer(memory))
        }
        let (status, messages) = program.end()
        guard status == 0 else { throw refusal(messages.last ?? "it ended with the status \(status ?? -1)") }
        guard let secret = Secret(line: String(decoding: output, as: UTF8.self)) else {
            throw refusal("it writes nothing")
        }
        self = secret
    }

    private static let limit = 1 << 16

    /// Takes the first line of a text; `nil` if that is empty.
    private init?(line text: String) {
        let line = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).first ?? ""
        let value = line.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed()
        guard !value.isEmpty else { return nil }
        self.init(String(value))
    }
}

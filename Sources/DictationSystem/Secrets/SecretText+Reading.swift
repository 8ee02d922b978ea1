package import DictationCore

extension SecretText.Source {
    private static let limit = 1 << 16

    /// Reads the secret. A program may take half a minute.
    ///
    /// - Throws: `invalidInput` if there is no secret; the error of a file that can't be read.
    package func read() throws(DictationError) -> SecretText {
        switch self {
        case .environment(let name):
            return try secret(
                getenv(name).map { String(cString: $0) } ?? "", "The environment variable “\(name)” has no secret.",
                recovery: "Set it to the secret.")
        case .file(let path):
            return try secret(
                text(of: path), "The file “\(visible(path))” has no secret.",
                recovery: "Write the secret into its first line.")
        case .command(let command): return try output(of: command)
        }
    }

    /// A sentence about a file that other users of this machine can read; `nil` for any other source.
    package var exposure: String? {
        var found = stat()
        guard case .file(let path) = self, stat(path, &found) == 0, found.st_mode & 0o044 != 0 else { return nil }
        return "Other users may read the secret in “\(visible(path))”. Use “chmod 600” to change that."
    }

    private func text(of path: String) throws(DictationError) -> String {
        let file = try ReadableFile(path: path)
        var bytes = [UInt8](repeating: 0, count: Self.limit)
        let count = try bytes.withUnsafeMutableBufferPointer { memory throws(DictationError) in
            try file.read(into: UnsafeMutableRawBufferPointer(memory), from: 0)
        }
        return String(decoding: bytes[..<count], as: UTF8.self)
    }

    private func output(of command: [String]) throws(DictationError) -> SecretText {
        func message(_ reason: String) -> String {
            "The command “\(visible(command.first ?? ""))” gives no secret: \(reason)."
        }
        let recovery = "Try the command in a terminal. It has to write the secret."
        let nothing = Descriptor(open("/dev/null", O_RDONLY | O_CLOEXEC))
        let program: ReadingProgram
        do throws(SystemError) {
            program = try ReadingProgram(command, reading: nothing.number, patience: (work: 30, rest: 30))
        } catch {
            throw DictationError(.invalidInput, message(error.reason), recovery: recovery)
        }
        let output = [UInt8](unsafeUninitializedCapacity: Self.limit) { memory, count in
            count = program.read(into: UnsafeMutableRawBufferPointer(memory))
        }
        let (status, messages) = program.end()
        let problem =
            status == -SIGKILL
            ? "it was killed, or did not end in half a minute"
            : status == 0 ? nil : messages.last ?? "it ended with the status \(status ?? -1)"
        if let problem { throw DictationError(.invalidInput, message(problem), recovery: recovery) }
        return try secret(String(decoding: output, as: UTF8.self), message("it writes nothing"), recovery: recovery)
    }

    /// Takes the first line of a text.
    private func secret(
        _ text: String, _ problem: String, recovery: String
    ) throws(DictationError) -> SecretText {
        let line = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).first ?? ""
        let value = line.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed()
        guard !value.isEmpty else { throw DictationError(.invalidInput, problem, recovery: recovery) }
        // A NUL would end the header that has the secret.
        guard value.allSatisfy({ $0.asciiValue.map { $0 >= 0x20 && $0 != 0x7F } ?? true }) else {
            throw DictationError(.invalidInput, "The secret has a character that can't be written.", recovery: recovery)
        }
        return SecretText(String(value))
    }
}

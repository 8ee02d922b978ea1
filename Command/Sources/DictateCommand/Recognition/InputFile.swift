import DictationCapture
import DictationCore
import FoundationEssentials
import Glibc

/// A recording as a file. Standard input is copied to a nameless file, so nothing remains when the program ends.
final class InputFile: Sendable {
    let path: String
    /// The copy of standard input.
    private let copy: Int32?

    var isTemporary: Bool { copy != nil }

    /// Opens a path, or `-`: then it reads standard input to its end.
    init(_ argument: String) async throws(DictationError) {
        guard argument == "-" else {
            (path, copy) = (argument, nil)
            return
        }
        let copying = Task(executorPreference: DictationRuntime.current.blockingExecutor("stdin")) {
            () -> Result<Int32, DictationError> in
            do throws(DictationError) { return .success(try Self.keepStandardInput()) } catch { return .failure(error) }
        }
        let copy = try await copying.value.get()
        (path, self.copy) = ("/proc/self/fd/\(copy)", copy)
    }

    /// Returns the error of each file that can't be opened, by its index. Reads nothing, and leaves standard input alone.
    static func unreadable(_ arguments: [String]) -> [Int: DictationError] {
        var errors: [Int: DictationError] = [:]
        for (index, argument) in arguments.enumerated() where argument != "-" {
            do throws(DictationError) { try AudioFileReader.checkAccess(to: argument) } catch {
                errors[index] = InputFile(path: argument).explain(error)
            }
        }
        return errors
    }

    private init(path: String) { (self.path, copy) = (path, nil) }

    deinit { if let copy { close(copy) } }

    private static func keepStandardInput() throws(DictationError) -> Int32 {
        guard isatty(STDIN_FILENO) == 0 else {
            throw DictationError(
                .invalidInput, "Standard input is a terminal.",
                recovery: "Pipe a recording into it: … | dictate transcribe -")
        }
        let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array((folder + "/dictate-XXXXXX").utf8CString)
        let copy = mkstemp(&template)
        guard copy >= 0 else { throw failure("No temporary file can be created in \(folder)", errno) }
        unlink(template)
        _ = fcntl(copy, F_SETFD, FD_CLOEXEC)
        var isWhole = false
        defer { if !isWhole { close(copy) } }
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(STDIN_FILENO, &bytes, bytes.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else {
                let words = String(cString: strerror(errno))
                throw DictationError(
                    .invalidInput, "Standard input can't be read: \(words).",
                    recovery: "Pipe a recording into it: … | dictate transcribe -")
            }
            if count == 0 { break }
            var written = 0
            while written < count {
                let more = bytes[written..<count].withUnsafeBytes { write(copy, $0.baseAddress, $0.count) }
                if more < 0, errno == EINTR { continue }
                guard more >= 0 else { throw failure("A temporary file in \(folder) can't be written", errno) }
                written += more
            }
        }
        isWhole = true
        return copy
    }

    private static func failure(_ what: String, _ code: Int32) -> DictationError {
        let words = String(cString: strerror(code))
        return DictationError(
            code == ENOSPC ? .storageFull : .fileUnreadable, "\(what): \(words).",
            recovery: "Set TMPDIR to a folder with free space, or pass the recording as a file.",
            underlying: .init(domain: "errno", code: Int(code), message: words))
    }
}

/// The number of cores that this process may use.
func processorCount() -> Int { max(1, ProcessInfo.processInfo.activeProcessorCount) }

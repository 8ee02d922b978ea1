import DictationCore
import DictationService
import FoundationEssentials
import Glibc

/// A service in the background, which outlives the command that started it.
struct StartedService: Sendable {
    private let process: pid_t
    private let log: String
    /// The size of the log before the service was started.
    private let oldLogSize: Int

    /// How long a service may take to listen. Looking for the best engine opens its libraries.
    private static let startTimeout = Duration.seconds(30)

    /// Starts the service with the usual options.
    ///
    /// - Parameter socket: The path of its socket.
    init(socket: String) throws(DictationError) {
        let (log, size) = try Self.makeLog(beside: socket)
        (self.log, oldLogSize) = (log, size)
        let (process, code) = ChildProgram.start(
            "/proc/self/exe", ["dictate", "service", "--quiet", "--socket", socket], inNewSession: true
        ) { actions in
            posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
            posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
            posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, log, O_WRONLY | O_APPEND, 0)
        }
        guard code == 0 else {
            throw DictationError(
                .engineFailed, "The service can't be started: \(String(cString: strerror(code))).",
                recovery: "Start it by hand with “dictate service”.")
        }
        self.process = process
    }

    /// Waits until the service answers.
    ///
    /// - Throws: The words of a service that ended instead.
    func waitUntilReady(_ client: DictationClient) async throws(DictationError) {
        let runtime = DictationRuntime.current
        let end = runtime.now() + Self.startTimeout
        while runtime.now() < end {
            do throws(DictationError) {
                _ = try await client.perform(.status)
                return
            } catch {
                guard error.code == .notRunning else { throw error }
            }
            var status: Int32 = 0
            if waitpid(process, &status, WNOHANG) == process {
                // Another command may have started a service at the same moment.
                if (try? await client.perform(.status)) != nil { return }
                throw failure(status >> 8 & 0xFF)
            }
            try? await runtime.sleep(.milliseconds(10))
        }
        throw DictationError(
            .timedOut, "The service did not begin to listen within \(Self.startTimeout).",
            recovery: "Start it by hand with “dictate service”, and see what it says.")
    }

    private func failure(_ status: Int32) -> DictationError {
        let said = String(
            decoding: ((try? Data(contentsOf: URL(filePath: log))) ?? Data()).dropFirst(oldLogSize), as: UTF8.self)
        let prefix = "dictate: "
        let reason = said.split(separator: "\n").last.map { $0.hasPrefix(prefix) ? $0.dropFirst(prefix.count) : $0 }
        let codes: [ExitCode: DictationError.Code] = [
            .badUse: .invalidInput, .noDevice: .deviceNotFound, .noModel: .modelNotInstalled,
        ]
        let code = ExitCode(rawValue: status).flatMap { codes[$0] } ?? .engineFailed
        return DictationError(code, "The service did not start. \(reason.map { String($0) } ?? "It gave no reason.")")
    }

    /// The file of the service's messages.
    static func logPath(beside socket: String) -> String { FilePath(socket).folderToOpen + "log" }

    /// Makes the file for the service's messages beside its socket, in a folder that only the user can write to.
    ///
    /// - Returns: The file's path and size. The service adds to it: with a strange `--socket`, it may belong to the user.
    private static func makeLog(beside socket: String) throws(DictationError) -> (path: String, size: Int) {
        try ServiceListener.makeFolder(forSocketAt: socket)
        let log = logPath(beside: socket)
        let file = open(log, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0o600)
        guard file >= 0 else {
            throw DictationError(
                .fileUnreadable, "“\(log.visible)” can't be written: \(String(cString: strerror(errno))).",
                recovery: "Start the service by hand with “dictate service”.")
        }
        defer { close(file) }
        return (log, Int(lseek(file, 0, SEEK_END)))
    }
}

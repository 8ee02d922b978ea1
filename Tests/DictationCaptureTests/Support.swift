import DictationCapture
import DictationCore
import Foundation
import Glibc
import Synchronization
import Testing

/// A folder that goes away with the test.
final class TemporaryFolder: Sendable {
    let path: String

    init() {
        path = FileManager.default.temporaryDirectory.path + "/dictation-" + UUID().uuidString
        try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func callAsFunction(_ name: String) -> String { path + "/" + name }
}

/// Whether everything is to be done as often and as long as promised; `Scripts/prove capture` says so.
enum Proof {
    static let isWhole = ProcessInfo.processInfo.environment["DICTATION_CAPTURE_PROOF"] != nil
    /// Whether a sanitizer counts its own memory as the program's; `Scripts/sanitize` says so.
    static let isSanitized = ProcessInfo.processInfo.environment["DICTATION_SANITIZED"] != nil
}

/// A process that ends with the test.
final class Child: Sendable {
    let processID: pid_t
    private let lines = Watched<[String]>([])
    private let status = Watched<Int32?>(nil)

    init(_ executable: String, _ arguments: [String] = [], environment: [String: String] = [:]) throws {
        var ends: [Int32] = [0, 0]
        // A pair of sockets, since these are closed in other children from the beginning.
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        try #require(socketpair(AF_UNIX, kind, 0, &ends) == 0)
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        posix_spawn_file_actions_adddup2(&actions, ends[1], 2)
        defer { posix_spawn_file_actions_destroy(&actions) }
        let merged = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        var argv = ([executable] + arguments).map { strdup($0) } + [nil]
        var envp = merged.map { strdup("\($0)=\($1)") } + [nil]
        defer { for text in argv + envp { free(text) } }
        var id = pid_t()
        let code = posix_spawnp(&id, executable, &actions, nil, &argv, &envp)
        close(ends[1])
        let reading = ends[0]
        guard code == 0 else {
            close(reading)
            throw DictationError(.notBuilt, "\(executable) can't be started: install what CONTRIBUTING.md lists.")
        }
        processID = id
        Task(executorPreference: BlockingThread(name: "child")) { [lines, status, id] in
            var partial: [UInt8] = []
            var bytes = [UInt8](repeating: 0, count: 4_096)
            while true {
                let count = read(reading, &bytes, bytes.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                partial += bytes[..<count]
                while let end = partial.firstIndex(of: UInt8(ascii: "\n")) {
                    let line = String(decoding: partial[..<end], as: UTF8.self)
                    partial.removeSubrange(...end)
                    lines.change { $0.append(line) }
                }
            }
            close(reading)
            if !partial.isEmpty { lines.change { $0.append(String(decoding: partial, as: UTF8.self)) } }
            var end: Int32 = 0
            waitpid(id, &end, 0)
            status.change { $0 = end }
        }
    }

    deinit { kill() }

    /// The executable that is built beside the tests.
    static func built(_ name: String) -> String {
        let tests = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        // Swift Testing runs inside a runner elsewhere; the bundle is what the runner was told to load.
        let bundle = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? tests.path
        return URL(fileURLWithPath: bundle).deletingLastPathComponent().appendingPathComponent(name).path
    }

    var output: [String] { lines.value }

    func kill(_ signal: Int32 = SIGKILL) {
        if status.value == nil { _ = Glibc.kill(processID, signal) }
    }

    /// Waits for a line that the closure accepts, after so many others; `nil` when it does not come in time. What counts
    /// is when it came: a machine that had no time for the test may see the limit pass first.
    func line(
        after count: Int = 0, within limit: Duration = .seconds(20),
        where isWanted: @escaping @Sendable (String) -> Bool
    ) async -> String? {
        let find: @Sendable ([String]) -> String? = { $0.dropFirst(count).first(where: isWanted) }
        let found = await DictationRuntime.system.within(limit) { [lines] in await lines.first(find) }
        return found ?? find(lines.value)
    }

    /// Waits for the end and gives everything that was printed.
    func end(within limit: Duration = .seconds(60)) async -> [String]? {
        _ = await DictationRuntime.system.within(limit) { [status] in await status.first { $0 } }
        return status.value == nil ? nil : output
    }

    /// How it ended; 0 is well.
    var exitCode: Int32? { status.value.map { $0 & 0x7F == 0 ? ($0 >> 8) & 0xFF : -($0 & 0x7F) } }
}

#if ModelCatalog
import Foundation
import Glibc
import Testing

/// A helper program that installs models in a process of its own.
final class InstallProbe {
    let process: pid_t
    private let output: Int32

    /// Starts it; its output is read by `end(within:)`.
    init(
        _ arguments: [String], program name: String = "CatalogInstallProbe", adding additions: [String: String] = [:]
    ) throws {
        let program = try Self.program(name)
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw POSIXError(.EMFILE) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        var words = ([program] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        // A probe that shuts itself in can't read the file that this one names.
        let inherited = ProcessInfo.processInfo.environment
            .filter { $0.key != "LSAN_OPTIONS" }.merging(additions) { $1 }
        var variables = inherited.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for variable in variables { free(variable) } }
        var process: pid_t = 0
        let code = posix_spawn(&process, program, &actions, nil, &words, &variables)
        posix_spawn_file_actions_destroy(&actions)
        close(ends[1])
        try #require(code == 0, "\(program) did not start: \(String(cString: strerror(code)))")
        self.process = process
        output = ends[0]
    }

    deinit { close(output) }

    /// Lies beside the test program.
    private static func program(_ name: String) throws -> String {
        var path = [CChar](repeating: 0, count: 4_096)
        let count = readlink("/proc/self/exe", &path, path.count - 1)
        let own = String(decoding: path.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let places = [own] + CommandLine.arguments
        let candidates = places.map {
            URL(fileURLWithPath: $0).deletingLastPathComponent().appendingPathComponent(name).path
        }
        return try #require(
            candidates.first { access($0, X_OK) == 0 },
            "\(name) was not built; run swift build --build-tests. Looked for \(candidates).")
    }

    /// Waits until it ends by itself, or the time is over and it is killed; what it printed, if it ended.
    func end(within limit: Duration) throws -> String? {
        let end = ContinuousClock.now + limit
        var text: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 256)
        while true {
            var wait = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
            let left = max(.zero, ContinuousClock.now.duration(to: end))
            guard poll(&wait, 1, Int32(left / .milliseconds(1))) > 0 else {
                kill(process, SIGKILL)
                waitpid(process, nil, 0)
                return nil
            }
            let count = read(output, &block, block.count)
            if count <= 0 { break }
            text += block[..<count]
        }
        waitpid(process, nil, 0)
        return String(decoding: text, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
#endif

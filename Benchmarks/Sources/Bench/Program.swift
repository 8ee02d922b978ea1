import FoundationEssentials
import Glibc

/// Another program, run to its end with its output thrown away.
enum Program {
    struct Failed: Error, CustomStringConvertible { var description: String }

    static func run(_ path: String, _ arguments: [String]) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        var words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) } + [nil]
        defer { words.forEach { free($0) } }
        var child = pid_t()
        var status: Int32 = 0
        guard posix_spawn(&child, path, &actions, nil, &words, environ) == 0, waitpid(child, &status, 0) == child,
            status == 0
        else { throw Failed(description: "\(path) failed with \(status).") }
    }
}

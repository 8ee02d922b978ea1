import Foundation

/// A process that has ended: what it printed and what it took.
struct Child {
    var output: String
    var wall: Double
    var cpu: Double
    var peakMegabytes: Int

    /// Runs a program to its end.
    init(_ words: [String], output file: URL) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 1, file.path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { arguments.forEach { free($0) } }
        let start = ContinuousClock.now
        var process = pid_t()
        let failure = posix_spawn(&process, words[0], &actions, nil, &arguments, environ)
        guard failure == 0 else {
            throw Failure(what: "\(words[0]) can't be run: \(String(cString: strerror(failure)))")
        }
        var status: Int32 = 0
        var usage = rusage()
        guard wait4(process, &status, 0, &usage) == process, status == 0 else {
            throw Failure(what: "\(words.joined(separator: " ")) ended with the status \(status).")
        }
        wall = (ContinuousClock.now - start) / .seconds(1)
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
        cpu = seconds(usage.ru_utime) + seconds(usage.ru_stime)
        peakMegabytes = usage.ru_maxrss / 1_024
        output = try String(contentsOf: file, encoding: .utf8)
    }

    struct Failure: Error, CustomStringConvertible {
        var what: String
        var description: String { what }
    }
}

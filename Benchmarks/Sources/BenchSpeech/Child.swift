import DictationCore
import FoundationEssentials
import Glibc

/// A process that has ended, with its output, time and memory.
package struct Child {
    package var output = ""
    package var wall: Double
    package var cpu: Double
    package var peakMegabytes: Int

    /// Runs a program to its end. Without a file, its output is discarded.
    package init(_ words: [String], output file: URL? = nil) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 1, file?.path ?? "/dev/null", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { arguments.forEach { free($0) } }
        let start = ContinuousClock.now
        var process = pid_t()
        let failure = posix_spawn(&process, words[0], &actions, nil, &arguments, environ)
        guard failure == 0 else {
            throw DictationError(.engineFailed, "\(words[0]) can't be run: \(String(cString: strerror(failure)))")
        }
        var status: Int32 = 0
        var usage = rusage()
        guard wait4(process, &status, 0, &usage) == process, status == 0 else {
            throw DictationError(.engineFailed, "\(words.joined(separator: " ")) ended with the status \(status).")
        }
        wall = (ContinuousClock.now - start) / .seconds(1)
        cpu = usage.processorSeconds
        peakMegabytes = usage.ru_maxrss / 1_024
        if let file { output = try String(contentsOf: file, encoding: .utf8) }
    }
}

/// Returns the processor time that this process has used, in seconds.
package func processorSeconds() -> Double {
    var usage = rusage()
    getrusage(Int32(RUSAGE_SELF.rawValue), &usage)
    return usage.processorSeconds
}

/// Returns the processor time of the processes that this process started and that have ended, in seconds.
package func processorSecondsOfChildren() -> Double {
    var usage = rusage()
    getrusage(Int32(RUSAGE_CHILDREN.rawValue), &usage)
    return usage.processorSeconds
}

extension rusage {
    fileprivate var processorSeconds: Double {
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
        return seconds(ru_utime) + seconds(ru_stime)
    }
}

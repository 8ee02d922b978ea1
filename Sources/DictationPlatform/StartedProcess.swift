/// Starts a program in a process group of its own, so that Ctrl-C in the terminal does not reach it. It blocks no signal.
///
/// - Parameters:
///   - program: The program's path, or a name to look up in `PATH`.
///   - arguments: The program's arguments; the first is its name.
///   - environment: The environment variables, each as `NAME=value`.
///   - signals: The signals that get their default effect, even if this process ignores them.
///   - files: Adds the actions that open the program's files.
/// - Returns: The number of the process, or the code of the error.
package func startProcess(
    _ program: String, _ arguments: [String], environment: [String], resetting signals: [Int32],
    files: (inout posix_spawn_file_actions_t) -> Void
) -> (process: pid_t, code: Int32) {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    files(&actions)

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var set = sigset_t()
    sigemptyset(&set)
    posix_spawnattr_setsigmask(&attributes, &set)
    for signal in signals { sigaddset(&set, signal) }
    posix_spawnattr_setsigdefault(&attributes, &set)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(
        &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))

    let words = arguments.map { strdup($0) } + [nil]
    let variables = environment.map { strdup($0) } + [nil]
    defer { for text in words + variables { free(text) } }
    var process: pid_t = 0
    let code = posix_spawnp(&process, program, &actions, &attributes, words, variables)
    return (process, code)
}

/// Waits until a child process has ended.
///
/// - Returns: The exit code, the negative number of the signal that ended the process, or `nil` if another part of this
///   process has taken it.
package func endOfProcess(_ process: pid_t) -> Int32? {
    var status: Int32 = 0
    while waitpid(process, &status, 0) != process {
        guard errno == EINTR else { return nil }
    }
    let signal = status & 0x7F
    return signal == 0 ? status >> 8 & 0xFF : -signal
}

/// Returns this process's environment variables, each as `NAME=value`, with some added or replaced.
package func environment(adding variables: [String: String]) -> [String] {
    var entries = variables.map { $0 + "=" + $1 }
    var next = environ
    while let entry = next.pointee {
        let text = String(cString: entry)
        if !variables.keys.contains(where: { text.utf8.starts(with: ($0 + "=").utf8) }) { entries.append(text) }
        next += 1
    }
    return entries
}

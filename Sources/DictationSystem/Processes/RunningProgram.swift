import Synchronization

/// A program that runs. It is killed at the end of the object's lifetime, unless it has ended.
package final class RunningProgram: Sendable {
    private struct State {
        /// Whether the process was waited for, so that its number may belong to another one.
        var isOver = false
        var status: Int32?
    }

    /// The number of the process.
    package let number: pid_t
    private let state = Mutex(State())

    /// Takes over a process that leads a process group of its own.
    package init(_ number: pid_t) { self.number = number }

    deinit {
        kill()
        wait()
    }

    /// Kills the program, and every process of its group.
    package func kill() {
        // Before the process is waited for, its number can't belong to another process.
        state.withLock { state in
            if !state.isOver { _ = Glibc.kill(-number, SIGKILL) }
        }
    }

    /// Whether the program has ended.
    package var hasEnded: Bool { state.withLock { $0.isOver } || look(WNOHANG) }

    /// Waits until the program has ended. Its number is not free yet.
    package func waitForEnd() { _ = state.withLock { $0.isOver } || look(0) }

    /// Waits until the program has ended.
    ///
    /// - Returns: The exit code, the negative number of the signal that ended the program, or `nil` if another part of
    ///   this process has taken it.
    @discardableResult
    package func wait() -> Int32? {
        waitForEnd()
        return state.withLock { state in
            guard !state.isOver else { return state.status }
            state.isOver = true
            var status: Int32 = 0
            while waitpid(number, &status, 0) != number {
                guard errno == EINTR else { return nil }
            }
            let signal = status & 0x7F
            state.status = signal == 0 ? status >> 8 & 0xFF : -signal
            return state.status
        }
    }

    /// The processor time that the program has used, in whole seconds.
    package var processorSeconds: Int {
        var clock = clockid_t()
        var time = timespec()
        return state.withLock { state in
            guard !state.isOver, clock_getcpuclockid(number, &clock) == 0, clock_gettime(clock, &time) == 0 else {
                return 0
            }
            return time.tv_sec
        }
    }

    /// Returns whether the process has ended, and leaves it to be waited for.
    private func look(_ options: Int32) -> Bool {
        while true {
            var info = siginfo_t()
            // A program that ignores SIGCHLD can't wait for its children, and gets an error once they have ended.
            if waitid(P_PID, id_t(number), &info, WEXITED | WNOWAIT | options) == 0 { return info.si_signo != 0 }
            if errno != EINTR { return true }
        }
    }
}

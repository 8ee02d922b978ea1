package import DictationCore

/// A program that reads its standard input and writes its standard output, in a process group of its own.
package struct FilterProgram: Sendable {
    private let program: ProgramRun

    /// Describes a program.
    ///
    /// - Parameters:
    ///   - arguments: The program, which is looked up in `PATH`, and its arguments.
    ///   - timeout: How long it may run.
    ///   - outputLimit: The greatest number of bytes of output.
    ///   - variables: Environment variables that it has besides those of this process.
    ///   - leavesProcesses: Whether a program that ends by itself may leave processes behind.
    package init(
        arguments: [String], timeout: Duration, outputLimit: Int, variables: [String: String] = [:],
        leavesProcesses: Bool = false
    ) {
        var program = ProgramRun(arguments, adding: variables)
        (program.timeout, program.outputLimit, program.leavesProcesses) = (timeout, outputLimit, leavesProcesses)
        self.program = program
    }

    /// Runs the program. No process of its group survives the call, unless it may leave processes behind.
    ///
    /// - Returns: The program's output.
    /// - Throws: An error if the program can't start, fails, needs too long, or writes too much or no text.
    package func run(_ input: String) async throws(DictationError) -> String {
        guard let text = String(validating: try await run(bytes: Array(input.utf8)), as: UTF8.self) else {
            throw DictationError(
                .invalidInput, "The output of “\(name)” is not text in UTF-8.", recovery: "Use another program.")
        }
        return text
    }

    /// Runs the program as ``run(_:)`` does, with any bytes.
    package func run(bytes: [UInt8]) async throws(DictationError) -> [UInt8] {
        let work = BlockingWork("filter")
        return try await work.run { () throws(DictationError) in try runBlocking(bytes) }
    }

    private var name: String { program.arguments.first ?? "" }

    /// Runs the program on the calling thread.
    package func runBlocking(_ input: [UInt8]) throws(DictationError) -> [UInt8] {
        var program = program
        program.input = .bytes(input)
        let outcome: ProgramRun.Outcome
        do throws(SystemError) { outcome = try program.run { Task.isCancelled } } catch { throw notStarted(error) }
        switch outcome.stop {
        case .asked: throw DictationError(.cancelled, "“\(name)” was stopped.")
        case .late:
            throw DictationError(
                .timedOut, "“\(name)” did not finish in \(program.timeout).",
                recovery: "Use a faster program, or less text.")
        case .tooLong:
            throw DictationError(
                .invalidInput, "“\(name)” wrote more than \(program.outputLimit ?? 0) bytes.",
                recovery: "Use a program that writes less.")
        case nil: break
        }
        guard outcome.status == 0 else { throw failure(outcome.status ?? -1, outcome.said) }
        return outcome.output
    }

    private func notStarted(_ error: SystemError) -> DictationError {
        guard error.call == "posix_spawn" else {
            return DictationError(
                .fileUnreadable, "No more files can be opened: \(error.reason).",
                recovery: "Close some files, or raise the limit of open files.")
        }
        return DictationError(
            .fileUnreadable, "“\(name)” can't be started: \(error.reason).",
            recovery: "Install the program, or correct its name.")
    }

    private func failure(_ status: Int32, _ said: String) -> DictationError {
        let said = said.onOneLine.split(separator: " ").joined(separator: " ")
        return DictationError(
            .engineFailed, "“\(name)” failed with the status \(status)\(said.isEmpty ? "" : ": " + said).",
            recovery: "Run the program by hand to find the reason.")
    }
}

/// A started program that reads one open file, and whose output is read as it comes.
///
/// Releasing it kills the program. If this process is killed, the program's next write ends it.
package final class ReadingProgram {
    /// The descriptor of the file in the program.
    package static let descriptor: Int32 = 3
    /// The greatest number of bytes kept of the error output.
    private static let messageLimit = 1 << 13

    private let process: RunningProgram
    private let output: ProgramPipe
    private let errors: ProgramPipe
    /// How much processor time the program may take without any output, and how long it may take none, in seconds.
    private let patience: (work: Int, rest: Int)
    private var said: [UInt8] = []

    /// Starts a program with the user's rights.
    ///
    /// - Parameters:
    ///   - program: The program, which is looked up in `PATH`, and its arguments.
    ///   - file: The descriptor of the open file.
    ///   - patience: See ``init(patience:start:)``.
    package convenience init(
        _ program: [String], reading file: Int32, patience: (work: Int, rest: Int)
    ) throws(SystemError) {
        try self.init(patience: patience) { (output, errors) throws(SystemError) in
            try Program(program, files: [.nothing, .descriptor(output), .descriptor(errors), .descriptor(file)]).start()
        }
    }

    /// Starts a program in a way of the caller's.
    ///
    /// - Parameters:
    ///   - patience: The program is killed if it takes more than `work` seconds of processor time without any output, or
    ///     waits for `rest` seconds without taking any.
    ///   - start: Starts the program in a process group of its own, with the two descriptors as its output and its error
    ///     output.
    package init(
        patience: (work: Int, rest: Int),
        start: (_ output: Int32, _ errors: Int32) throws(SystemError) -> RunningProgram
    ) throws(SystemError) {
        (output, errors) = (try ProgramPipe(.fromProgram), try ProgramPipe(.fromProgram))
        self.patience = patience
        process = try start(output.theirs, errors.theirs)
        output.closeTheirs()
        errors.closeTheirs()
    }

    /// The number of the program's process.
    package var number: pid_t { process.number }

    /// Fills as much of the memory as the program still writes.
    package func read(into bytes: UnsafeMutableRawBufferPointer) -> Int {
        var filled = 0
        var watch = Watch(process.processorSeconds)
        while filled < bytes.count, output.isOpen {
            var waits = [output.wait(), errors.wait()]
            guard poll(&waits, 2, 1_000) > 0 else {
                // A process that the program left behind may keep the output open. Nobody waits for a cancelled task.
                if Task.isCancelled || process.hasEnded || watch.isOver(patience, at: process.processorSeconds) {
                    stop()
                }
                continue
            }
            watch = Watch(process.processorSeconds)
            if waits[1].revents != 0 { listen() }
            guard waits[0].revents != 0 else { continue }
            filled += output.read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[filled...]))
        }
        return filled
    }

    /// Waits for the end of the program.
    ///
    /// - Returns: The exit code, the negative number of the signal that ended the program, or `nil` if it is unknown;
    ///   and the lines of the error output.
    package func end() -> (status: Int32?, messages: [String]) {
        // A program that still writes would wait for a reader forever.
        output.close()
        var watch = Watch(process.processorSeconds)
        while errors.isOpen {
            var waits = [errors.wait()]
            if poll(&waits, 1, 1_000) > 0 {
                listen()
            } else if process.hasEnded || watch.isOver(patience, at: process.processorSeconds) {
                stop()
                errors.close()
            }
        }
        let lines = String(decoding: said, as: UTF8.self).split(whereSeparator: \.isNewline)
        return (process.wait(), lines.map(String.init))
    }

    private func stop() {
        process.kill()
        process.wait()
    }

    private func listen() { said += errors.read(limit: 4_096).prefix(max(0, Self.messageLimit - said.count)) }
}

/// Tells when to give up on a program without output. It is asked once a second.
///
/// A busy machine or a slow disk is no reason to give up, so processor time counts. But a program may also wait for
/// something that never comes.
private struct Watch {
    private let began: Int
    private var last: Int
    private var rest = 0

    init(_ processorSeconds: Int) { (began, last) = (processorSeconds, processorSeconds) }

    mutating func isOver(_ patience: (work: Int, rest: Int), at processorSeconds: Int) -> Bool {
        rest = processorSeconds == last ? rest + 1 : 0
        last = processorSeconds
        return processorSeconds - began > patience.work || rest > patience.rest
    }
}

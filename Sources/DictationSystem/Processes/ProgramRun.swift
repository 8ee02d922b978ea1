import DictationCore

/// Runs a program to its end, gives it bytes to read, and keeps the bytes that it writes.
package struct ProgramRun: Sendable {
    package enum Input: Sendable {
        case bytes([UInt8])
        /// Nothing. The input ends when this process ends, however that happens.
        case untilThisProcessEnds
    }

    /// Why a program was killed.
    package enum Stop: Sendable {
        case asked, late
        /// It wrote too much.
        case tooLong
    }

    package struct Outcome: Sendable {
        /// The exit code, the negative number of the signal that ended the program, or `nil` if another part of this
        /// process has taken it.
        package var status: Int32?
        package var output: [UInt8]
        /// The end of the error output.
        package var said: String
        package var stop: Stop?
    }

    package var arguments: [String]
    /// Environment variables to add or replace.
    package var variables: [String: String]
    package var input = Input.bytes([])
    /// The greatest number of bytes of output; `nil` to forget the output.
    package var outputLimit: Int?
    /// The greatest number of bytes that are kept of the error output.
    package var errorLimit = 1 << 10
    package var timeout = Duration.seconds(86_400)
    /// Whether a program that ends by itself may leave processes behind.
    package var leavesProcesses = false

    /// The time between two questions whether to stop.
    private static let turn = Duration.milliseconds(50)

    /// Describes a run.
    ///
    /// - Parameters:
    ///   - arguments: The program, which is looked up in `PATH`, and its arguments.
    ///   - variables: Environment variables to add or replace.
    package init(_ arguments: [String], adding variables: [String: String] = [:]) {
        (self.arguments, self.variables) = (arguments, variables)
    }

    /// Runs the program, and blocks until it has ended. No process of its group survives the call, unless it may leave
    /// processes behind.
    ///
    /// - Parameters:
    ///   - folder: The descriptor of the program's working folder.
    ///   - mustStop: Called about twenty times a second. Returns whether to kill the program.
    package func run(in folder: Int32? = nil, until mustStop: () -> Bool) throws(SystemError) -> Outcome {
        let (toProgram, errors) = (try ProgramPipe(.toProgram), try ProgramPipe(.fromProgram))
        let output = outputLimit == nil ? nil : try ProgramPipe(.fromProgram)
        var program = Program(
            arguments, environment: environment(adding: variables),
            files: [
                .descriptor(toProgram.theirs), output.map { .descriptor($0.theirs) } ?? .nothing,
                .descriptor(errors.theirs),
            ])
        program.folder = folder
        let running = try program.start()
        for pipe in [toProgram, output, errors] { pipe?.closeTheirs() }
        var flow = Flow(input: input, toProgram, output, errors, outputLimit ?? .max, errorLimit)
        let stop = watch(running, &flow, until: mustStop)
        if stop != nil || !leavesProcesses { running.kill() }
        let status = running.wait()
        flow.readRest()
        return Outcome(
            status: status, output: flow.output, said: String(decoding: flow.said, as: UTF8.self),
            stop: stop ?? (flow.isTooLong ? .tooLong : nil))
    }

    private func watch(_ program: RunningProgram, _ flow: inout Flow, until mustStop: () -> Bool) -> Stop? {
        let runtime = DictationRuntime.system
        let end = runtime.now() + min(timeout, .seconds(86_400))
        while !program.hasEnded {
            if mustStop() { return .asked }
            let left = end - runtime.now()
            if left <= .zero { return .late }
            flow.move(for: min(left, Self.turn))
            if flow.isTooLong { return .tooLong }
        }
        return nil
    }

    /// Moves the input and the output.
    private struct Flow {
        let toProgram: ProgramPipe
        let fromProgram: ProgramPipe?
        let errors: ProgramPipe
        let input: [UInt8]?
        let outputLimit, errorLimit: Int
        var sent = 0
        var output: [UInt8] = []
        /// The end of the error output.
        var said: [UInt8] = []

        init(
            input: Input, _ toProgram: ProgramPipe, _ fromProgram: ProgramPipe?, _ errors: ProgramPipe,
            _ outputLimit: Int, _ errorLimit: Int
        ) {
            self.input = if case .bytes(let bytes) = input { bytes } else { nil }
            (self.toProgram, self.fromProgram, self.errors) = (toProgram, fromProgram, errors)
            (self.outputLimit, self.errorLimit) = (outputLimit, errorLimit)
        }

        var isTooLong: Bool { output.count > outputLimit }

        mutating func move(for time: Duration) {
            if sent == input?.count { toProgram.close() }
            var waits = [
                toProgram.wait(for: input == nil ? 0 : POLLOUT),
                fromProgram?.wait() ?? pollfd(fd: -1, events: 0, revents: 0), errors.wait(),
            ]
            guard poll(&waits, 3, Int32(max(1, time / .milliseconds(1)))) > 0 else { return }
            if waits[0].revents != 0 { send() }
            if waits[1].revents != 0 { read() }
            if waits[2].revents != 0 { listen() }
        }

        /// Reads what the pipes still hold after the program ended. A process that it left may go on writing errors.
        mutating func readRest() {
            while !isTooLong, read() {}
            for _ in 0..<8 { if !listen() { break } }
        }

        @discardableResult private mutating func read() -> Bool {
            guard let bytes = fromProgram?.read(), !bytes.isEmpty else { return false }
            output += bytes
            return true
        }

        @discardableResult private mutating func listen() -> Bool {
            let bytes = errors.read()
            said = (said + bytes).suffix(errorLimit)
            return !bytes.isEmpty
        }

        private mutating func send() {
            guard let input else { return toProgram.close() }
            // `nil` means that the program does not want more input.
            sent = toProgram.send(input[sent...]).map { sent + $0 } ?? input.count
        }
    }
}

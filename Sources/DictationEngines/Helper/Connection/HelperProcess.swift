import DictationCore
import DictationSystem
import Synchronization

/// A helper process with an engine, and the thread that starts it, reads its messages and waits for its end.
///
/// The thread lives as long as the process, because the system also ends a helper whose parent's thread ends.
final class HelperProcess: Sendable {
    /// The limits of a helper.
    struct Limits: Sendable, Hashable {
        /// How long it may take to answer a ping while it has work.
        var response = Duration.seconds(10)
        /// How long its engine may work without any result or progress.
        var progress = Duration.seconds(120)
        /// The greatest number of bytes that it may keep in memory; `nil` for no limit.
        var memory: Int64?
    }

    private struct State {
        var process: RunningProgram?
        var calls: [UInt32: Call] = [:]
        var channels: [UInt32: HelperChannel] = [:]
        var freeSlots = Array(0..<SharedMemory.slotCount)
        var lastNumber: UInt32 = 0
        var watch: HelperWatch
        /// Why this process killed the helper.
        var verdict: HelperDeath.Cause?
        var death: HelperDeath?
    }

    private struct Call {
        let answer: @Sendable (Result<HelperAnswer, HelperFailure>) -> Void
        var progress: @Sendable (Double) -> Void = { _ in }
        var reached = 0.0
    }

    let memory: SharedMemory
    private let socket: HelperSocket
    private let waker = Waker()
    private let limits: Limits
    private let state: Mutex<State>
    private let ended = Watched(false)

    private static let bodyLimit = 16 << 20
    private static let tick: Int32 = 250

    init(_ socket: HelperSocket, _ memory: SharedMemory, _ limits: Limits) {
        self.socket = socket
        self.memory = memory
        self.limits = limits
        state = Mutex(State(watch: HelperWatch(limits)))
    }

    /// The process's number; `nil` once it has ended.
    var number: pid_t? { state.withLock { $0.death == nil ? $0.process?.number : nil } }
    var isAlive: Bool { state.withLock { $0.death == nil && $0.verdict == nil } }

    // MARK: Start

    /// Starts a helper. Blocks until it runs.
    static func start(_ program: String, _ limits: Limits) throws(DictationError) -> HelperProcess {
        do throws(SystemError) {
            let memory = try SharedMemory()
            let (pair, output) = (try HelperSocketPair(), try ProgramPipe(.fromProgram))
            let process = HelperProcess(pair.ours, memory, limits)
            if let problem = process.waker.problem { throw problem }
            let started = Monitor<Result<Void, SystemError>?>(nil)
            let hasThread = SystemThread.start(named: "dictation-helper") {
                let running = Result { () throws(SystemError) in
                    try HelperRole.engine.program(
                        at: program,
                        files: [
                            .nothing, .descriptor(output.theirs), .descriptor(output.theirs),
                            .descriptor(pair.theirs), .descriptor(memory.descriptor),
                        ]
                    ).start()
                }
                pair.closeTheirs()
                output.closeTheirs()
                process.state.withLock { $0.process = try? running.get() }
                started.change { $0 = running.map { _ in } }
                guard case .success(let running) = running else { return }
                let said = process.converse(output)
                // The process stays a zombie for a moment, so that its number can't belong to another one when it is
                // killed.
                running.waitForEnd()
                process.end(said) { running.wait() }
            }
            guard hasThread else { throw SystemError("pthread_create", code: EAGAIN) }
            try (started.first { $0 } ?? .success(())).get()
            return process
        } catch {
            throw error.asStartFailure
        }
    }

    // MARK: Requests

    /// Sends a message. A helper that has gone gets nothing; its thread then ends everything that waits.
    func send(_ message: HelperMessage) { socket.send(message) }

    /// Asks for something and waits for the answer.
    func call(
        _ call: HelperCall, progress: @escaping @Sendable (Double) -> Void = { _ in }
    ) async throws(HelperFailure) -> HelperAnswer {
        let answer = Watched<Result<HelperAnswer, HelperFailure>?>(nil)
        let work = beginWork()
        defer { work.end() }
        ask(call, progress: progress) { result in answer.change { $0 = result } }
        guard let result = await answer.first({ $0 }) else {
            throw .cancelled
        }
        if case .failed(let error) = try result.get() { throw .failed(error) }
        return try result.get()
    }

    /// Asks for something. The answer comes on the helper's thread, or at once if the helper has ended.
    func ask(
        _ call: HelperCall, progress: @escaping @Sendable (Double) -> Void = { _ in },
        answer: @escaping @Sendable (Result<HelperAnswer, HelperFailure>) -> Void
    ) {
        guard let body = HelperJSON.encode(call) else {
            let error = DictationError(.invalidInput, "The options can't be sent to the engine's process.")
            return answer(.failure(.failed(error)))
        }
        guard let number = expect(Call(answer: answer, progress: progress)) else { return }
        send(HelperMessage(kind: .call, session: number, body: body))
    }

    /// Calls a function once the helper has ended.
    func whenEnded(_ body: @escaping @Sendable (HelperDeath) -> Void) {
        // A call that was not sent has no other answer.
        _ = expect(Call(answer: { if case .failure(.died(let death)) = $0 { body(death) } }))
    }

    /// Returns the number of a call, or answers it if the helper has ended.
    private func expect(_ call: Call) -> UInt32? {
        do throws(HelperFailure) {
            return try register { state -> UInt32 in
                state.lastNumber += 1
                state.calls[state.lastNumber] = call
                return state.lastNumber
            }
        } catch {
            call.answer(.failure(error))
            return nil
        }
    }

    /// Opens a session.
    func open(
        _ options: RecognitionOptions, workers: Int?, isInStep: Bool = false, known: Duration? = nil,
        format: AudioFormat, into results: ResultSink
    ) async throws(HelperFailure) -> HelperChannel {
        guard let channel = try makeChannel(format, isInStep: isInStep, into: results) else {
            throw .failed(
                DictationError(
                    .alreadyRunning,
                    "The engine's process already has its maximum of \(SharedMemory.slotCount) sessions.",
                    recovery: "Finish or cancel a session first."))
        }
        let request = HelperSessionRequest(
            session: channel.id, slot: channel.slot, options: options, workers: workers, isInStep: isInStep,
            known: known)
        do throws(HelperFailure) {
            guard case .format(format) = try await call(.open(request)) else {
                kill(because: .garbage)
                throw .died(HelperDeath(cause: .garbage))
            }
        } catch {
            close(channel)
            throw error
        }
        return channel
    }

    /// Makes a channel; `nil` if the memory has no free part.
    func makeChannel(
        _ format: AudioFormat, isInStep: Bool = false, into results: ResultSink
    ) throws(HelperFailure) -> HelperChannel? {
        try register { state -> HelperChannel? in
            guard let slot = state.freeSlots.popLast() else { return nil }
            state.lastNumber += 1
            let channel = HelperChannel(
                state.lastNumber, slot: slot, isInStep: isInStep, format: format, of: self, into: results)
            state.channels[channel.id] = channel
            return channel
        }
    }

    private func register<Answer: Sendable>(
        _ body: (inout State) -> Answer
    ) throws(HelperFailure) -> Answer {
        let (answer, death) = state.withLock { state -> (Answer?, HelperDeath?) in
            if let death = state.death { return (nil, death) }
            return (body(&state), nil)
        }
        guard let answer else { throw .died(death ?? HelperDeath(cause: .unneeded)) }
        return answer
    }

    /// Ends a session.
    func close(_ channel: HelperChannel) {
        let wasOpen = state.withLock { state in
            guard state.channels.removeValue(forKey: channel.id) != nil else { return false }
            state.freeSlots.append(channel.slot)
            return true
        }
        if wasOpen { send(HelperMessage(kind: .close, session: channel.id)) }
    }

    /// Work that a helper has, until the work ends.
    struct Work: Sendable {
        fileprivate let process: HelperProcess
        func end() { process.state.withLock { $0.watch.endWork() } }
    }

    /// Notes that the helper has work, so that the thread watches whether it does it.
    func beginWork() -> Work {
        let isNew = state.withLock { $0.watch.beginWork(at: SystemClock.now) }
        if isNew { waker.wake() }
        return Work(process: self)
    }

    // MARK: End

    /// Kills the helper. What waits for it gets the cause.
    func kill(because cause: HelperDeath.Cause) {
        state.withLock { state in
            guard let process = state.process, state.death == nil else { return }
            state.verdict = state.verdict ?? cause
            process.kill()
        }
    }

    /// Waits until the process has ended and its thread is done.
    func waitForEnd() async { _ = await ended.first { $0 ? true : nil } }

    // MARK: The thread

    /// Reads messages until the helper ends or breaks the rules, and returns the end of its output.
    func converse(_ output: ProgramPipe) -> String {
        var receiver = HelperReceiver(socket, limit: Self.bodyLimit)
        var said: [UInt8] = []
        var watched = SystemClock.now
        var waits = [pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0), output.wait(), waker.wait]
        while true {
            let isWatched = state.withLock { $0.watch.isNeeded }
            poll(&waits, 3, isWatched ? Self.tick : -1)
            if isWatched, SystemClock.now - watched > .milliseconds(Int64(Self.tick)) {
                watched = SystemClock.now
                watch()
            }
            if waits[2].revents != 0 { waker.clear() }
            // Before the messages: the library prints an exception before the helper sends the text without it.
            if waits[1].revents != 0 {
                listen(output, &said)
                waits[1] = output.wait()
                if String(decoding: said, as: UTF8.self).contains(HelperRole.caughtException) {
                    kill(because: .failedDecoding)
                    break
                }
            }
            guard waits[0].revents != 0 else { continue }
            switch receiver.receive(waiting: false) {
            case .nothing: continue
            case .message(let message) where admit(message): continue
            case .message, .garbage: kill(because: .garbage)
            case .end: kill(because: .ended(nil))
            }
            break
        }
        while output.isOpen, poll(&waits[1], 1, 100) > 0 { listen(output, &said) }
        return String(decoding: said, as: UTF8.self)
    }

    private func listen(_ output: ProgramPipe, _ said: inout [UInt8]) {
        said = (said + output.read(limit: 4_096)).suffix(1 << 13)
    }

    /// Checks once in a while that a helper with work does it.
    private func watch() {
        switch state.withLock({ $0.watch.look(at: SystemClock.now) }) {
        case .nothing: break
        case .ping: socket.sendNow(HelperMessage(kind: .ping))
        case .kill: kill(because: .hung)
        }
        if let limit = limits.memory, let process = number, ProcessMemory.residentBytes(of: process) ?? 0 > limit {
            kill(because: .tooLarge)
        }
    }

    /// Applies a message. Returns `false` for one that an honest helper does not send.
    func admit(_ message: HelperMessage) -> Bool {
        guard message.kind.isFromHelper else { return false }
        state.withLock { $0.watch.hear(isProgress: message.kind != .pong, at: SystemClock.now) }
        switch message.kind {
        case .pong: return true
        case .answer, .progress: return admitAnswer(message)
        default:
            // A session that was just closed may still send something.
            guard let channel = state.withLock({ $0.channels[message.session] }) else {
                return state.withLock { message.session <= $0.lastNumber }
            }
            return channel.admit(message)
        }
    }

    private func admitAnswer(_ message: HelperMessage) -> Bool {
        if message.kind == .progress {
            let fraction = Double(bitPattern: message.number)
            let report = state.withLock { state -> ((Double) -> Void)? in
                guard var call = state.calls[message.session], (call.reached...1).contains(fraction) else { return nil }
                call.reached = fraction
                state.calls[message.session] = call
                return call.progress
            }
            report?(fraction)
            return report != nil
        }
        guard let answer = HelperJSON.decode(HelperAnswer.self, message.body),
            let call = state.withLock({ $0.calls.removeValue(forKey: message.session) })
        else { return false }
        call.answer(.success(answer))
        return true
    }

    /// Ends everything that waits for the helper.
    ///
    /// - Parameters:
    ///   - said: The end of its output.
    ///   - reap: Returns the status of the process and gives up its number.
    func end(_ said: String, reap: () -> Int32?) {
        let (calls, channels, death) = state.withLock { state -> ([Call], [HelperChannel], HelperDeath) in
            let status = reap()
            let isKilled = state.verdict != nil && state.verdict != .ended(nil)
            let death = HelperDeath(cause: isKilled ? state.verdict ?? .hung : .ended(status), said: said)
            state.death = death
            defer { (state.calls, state.channels) = ([:], [:]) }
            return (Array(state.calls.values), Array(state.channels.values), death)
        }
        for call in calls { call.answer(.failure(.died(death))) }
        for channel in channels { channel.end(.died(death)) }
        ended.change { $0 = true }
    }
}

import CDictationHost
import DictationCore
import DictationPlatform
import Synchronization

/// A helper process with an engine, and the thread that starts it, reads its messages and waits for its end.
///
/// The thread lives as long as the process, because the system also ends a helper whose parent's thread ends.
final class HostProcess: Sendable {
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
        var process: pid_t?
        var calls: [UInt32: Call] = [:]
        var channels: [UInt32: HostChannel] = [:]
        var freeSlots = Array(0..<HostMemory.slotCount)
        var lastNumber: UInt32 = 0
        var pieces = 0
        /// Whether the thread looks at the clock.
        var isWatched = false
        var lastProgress = ContinuousClock.now
        var lastPing: ContinuousClock.Instant?
        /// Why this process killed the helper.
        var verdict: HostDeath.Cause?
        var death: HostDeath?
    }

    private struct Call {
        let answer: Watched<Result<HostAnswer, HostFailure>?>
        let progress: @Sendable (Double) -> Void
        var reached = 0.0
    }

    let memory: HostMemory
    private let socket: HostSocket
    private let waker: HostSocket
    private let limits: Limits
    private let state = Mutex(State())
    private let ended = Watched(false)

    private static let bodyLimit = 16 << 20
    private static let tick: Int32 = 250

    init(_ socket: HostSocket, _ waker: HostSocket, _ memory: HostMemory, _ limits: Limits) {
        self.socket = socket
        self.waker = waker
        self.memory = memory
        self.limits = limits
    }

    /// The process's number; `nil` once it has ended.
    var number: pid_t? { state.withLock { $0.death == nil ? $0.process : nil } }
    var isAlive: Bool { state.withLock { $0.death == nil && $0.verdict == nil } }

    // MARK: Start

    /// Starts a helper. Blocks until it runs.
    static func start(_ program: String, _ limits: Limits) throws(DictationError) -> HostProcess {
        do throws(HostSystemError) {
            let memory = try HostMemory()
            let pair = try HostSocketPair(kind: SOCK_SEQPACKET)
            let output = try HostSocketPair(kind: SOCK_STREAM)
            let waker = dictation_host_make_waker()
            guard waker >= 0 else { throw HostSystemError("eventfd") }
            let process = HostProcess(pair.ours, HostSocket(waker), memory, limits)
            let started = Monitor<Int32?>(nil)
            let hasThread = SystemThread.start(named: "dictation-host") {
                let (number, code) = spawn(program, pair, output, memory)
                pair.closeTheirs()
                output.closeTheirs()
                process.state.withLock { $0.process = code == 0 ? number : nil }
                started.change { $0 = code }
                guard code == 0 else { return }
                let said = process.converse(output.ours)
                process.conclude(number, said)
            }
            guard hasThread else { throw HostSystemError("pthread_create", code: EAGAIN) }
            let code = started.first { $0 } ?? 0
            guard code == 0 else { throw HostSystemError("posix_spawn", code: code) }
            return process
        } catch {
            throw error.asStartFailure
        }
    }

    private static func spawn(
        _ program: String, _ pair: HostSocketPair, _ output: HostSocketPair, _ memory: HostMemory
    ) -> (pid_t, Int32) {
        let variables = environment(adding: HelperRole.environment)
        for _ in 0..<100 {
            let (process, code) = startProcess(
                program, ["dictation-helper", HelperRole.argument], environment: variables,
                resetting: [SIGABRT, SIGPIPE, SIGTERM]
            ) { actions in
                posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
                posix_spawn_file_actions_adddup2(&actions, output.theirs, STDOUT_FILENO)
                posix_spawn_file_actions_adddup2(&actions, output.theirs, STDERR_FILENO)
                posix_spawn_file_actions_adddup2(&actions, pair.theirs, HelperRole.connection)
                posix_spawn_file_actions_adddup2(&actions, memory.descriptor, HelperRole.memory)
            }
            // The program file is busy while another process still has it open for writing.
            guard code == ETXTBSY, poll(nil, 0, 10) == 0 else { return (process, code) }
        }
        return (0, ETXTBSY)
    }

    // MARK: Requests

    /// Sends a message. A helper that has gone gets nothing; its thread then ends everything that waits.
    func send(_ message: HostMessage) { socket.send(message) }

    /// Asks for something and waits for the answer.
    func call(
        _ call: HostCall, progress: @escaping @Sendable (Double) -> Void = { _ in }
    ) async throws(HostFailure) -> HostAnswer {
        guard let body = HostJSON.encode(call) else {
            throw .failed(DictationError(.invalidInput, "The options can't be sent to the engine's process."))
        }
        let answer = Watched<Result<HostAnswer, HostFailure>?>(nil)
        let number = try register { state -> UInt32 in
            state.lastNumber += 1
            state.calls[state.lastNumber] = Call(answer: answer, progress: progress)
            return state.lastNumber
        }
        let work = beginWork()
        defer { work.end() }
        send(HostMessage(kind: .call, session: number, body: body))
        guard let result = await answer.first({ $0 }) else {
            throw .cancelled
        }
        if case .failed(let error) = try result.get() { throw .failed(error) }
        return try result.get()
    }

    /// Opens a session.
    func open(
        _ options: RecognitionOptions, workers: Int?, isInStep: Bool = false, known: Duration? = nil,
        format: AudioFormat, deliver: @escaping @Sendable (SpeechUpdate) -> Void,
        fail: @escaping @Sendable (DictationError) -> Void
    ) async throws(HostFailure) -> HostChannel {
        guard let channel = try makeChannel(format, isInStep: isInStep, deliver: deliver, fail: fail) else {
            throw .failed(
                DictationError(
                    .alreadyRunning,
                    "The engine's process already has its maximum of \(HostMemory.slotCount) sessions.",
                    recovery: "Finish or cancel a session first."))
        }
        let request = HostSessionRequest(
            session: channel.id, slot: channel.slot, options: options, workers: workers, isInStep: isInStep,
            known: known)
        do throws(HostFailure) {
            guard case .format(format) = try await call(.open(request)) else {
                kill(because: .garbage)
                throw .died(HostDeath(cause: .garbage))
            }
        } catch {
            close(channel)
            throw error
        }
        return channel
    }

    /// Makes a channel; `nil` if the memory has no free part.
    func makeChannel(
        _ format: AudioFormat, isInStep: Bool = false, deliver: @escaping @Sendable (SpeechUpdate) -> Void,
        fail: @escaping @Sendable (DictationError) -> Void = { _ in }
    ) throws(HostFailure) -> HostChannel? {
        try register { state -> HostChannel? in
            guard let slot = state.freeSlots.popLast() else { return nil }
            state.lastNumber += 1
            let channel = HostChannel(
                state.lastNumber, slot: slot, isInStep: isInStep, format: format, of: self, deliver: deliver, fail: fail
            )
            state.channels[channel.id] = channel
            return channel
        }
    }

    private func register<Answer: Sendable>(
        _ body: (inout State) -> Answer
    ) throws(HostFailure) -> Answer {
        let (answer, death) = state.withLock { state -> (Answer?, HostDeath?) in
            if let death = state.death { return (nil, death) }
            return (body(&state), nil)
        }
        guard let answer else { throw .died(death ?? HostDeath(cause: .unneeded)) }
        return answer
    }

    /// Ends a session.
    func close(_ channel: HostChannel) {
        let wasOpen = state.withLock { state in
            guard state.channels.removeValue(forKey: channel.id) != nil else { return false }
            state.freeSlots.append(channel.slot)
            return true
        }
        if wasOpen { send(HostMessage(kind: .close, session: channel.id)) }
    }

    /// Work that a helper has, until the work ends.
    struct Work: Sendable {
        fileprivate let process: HostProcess
        func end() { process.state.withLock { $0.pieces -= 1 } }
    }

    /// Notes that the helper has work, so that the thread watches whether it does it.
    func beginWork() -> Work {
        let isNew = state.withLock { state in
            if state.pieces == 0 {
                state.lastProgress = .now
                state.lastPing = nil
            }
            state.pieces += 1
            defer { state.isWatched = true }
            return !state.isWatched
        }
        if isNew { wake() }
        return Work(process: self)
    }

    private func wake() {
        var one: UInt64 = 1
        _ = write(waker.descriptor, &one, 8)
    }

    // MARK: End

    /// Kills the helper. What waits for it gets the cause.
    func kill(because cause: HostDeath.Cause) {
        state.withLock { state in
            guard let process = state.process, state.death == nil else { return }
            state.verdict = state.verdict ?? cause
            // The whole group, so that no process that the helper started survives.
            Glibc.kill(-process, SIGKILL)
        }
    }

    /// Waits until the process has ended and its thread is done.
    func waitForEnd() async { _ = await ended.first { $0 ? true : nil } }

    // MARK: The thread

    /// Reads messages until the helper ends or breaks the rules, and returns the end of its output.
    func converse(_ output: HostSocket) -> String {
        var receiver = HostReceiver(socket, limit: Self.bodyLimit)
        var said: [UInt8] = []
        var watched = ContinuousClock.now
        var waits = [socket, output, waker].map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
        while true {
            let isWatched = state.withLock { $0.isWatched }
            poll(&waits, 3, isWatched ? Self.tick : -1)
            if isWatched, watched.duration(to: .now) > .milliseconds(Int64(Self.tick)) {
                watched = .now
                watch()
            }
            if waits[2].revents != 0 { drainWaker() }
            if waits[1].revents != 0, !listen(output, &said) { waits[1].fd = -1 }
            guard waits[0].revents != 0 else { continue }
            switch receiver.receive(waiting: false) {
            case .nothing: continue
            case .message(let message) where admit(message): continue
            case .message, .garbage: kill(because: .garbage)
            case .end: kill(because: .ended(nil))
            }
            break
        }
        while waits[1].fd >= 0, poll(&waits[1], 1, 100) > 0, listen(output, &said) {}
        return String(decoding: said, as: UTF8.self)
    }

    private func drainWaker() {
        var count: UInt64 = 0
        _ = read(waker.descriptor, &count, 8)
    }

    /// Reads the helper's output. Returns `false` at its end.
    private func listen(_ output: HostSocket, _ said: inout [UInt8]) -> Bool {
        var part = [UInt8](repeating: 0, count: 4_096)
        let count = recv(output.descriptor, &part, part.count, Int32(MSG_DONTWAIT))
        if count < 0, errno == EINTR || errno == EAGAIN { return true }
        guard count > 0 else { return false }
        said += part[..<count]
        if said.count > 1 << 13 { said.removeFirst(said.count - 1 << 13) }
        return true
    }

    /// Checks once in a while that a helper with work does it.
    private func watch() {
        enum Step { case none, ping, kill(HostDeath.Cause) }
        let now = ContinuousClock.now
        let step = state.withLock { state -> Step in
            guard state.pieces > 0 else {
                state.isWatched = false
                return .none
            }
            if now - state.lastProgress > limits.progress { return .kill(.hung) }
            if let ping = state.lastPing, now - ping > limits.response { return .kill(.hung) }
            guard state.lastPing == nil else { return .none }
            state.lastPing = now
            return .ping
        }
        switch step {
        case .none: break
        case .ping: socket.sendNow(HostMessage(kind: .ping))
        case .kill(let cause): kill(because: cause)
        }
        if let limit = limits.memory, let process = number, ProcessMemory.residentBytes(of: process) ?? 0 > limit {
            kill(because: .tooLarge)
        }
    }

    /// Applies a message. Returns `false` for one that an honest helper does not send.
    func admit(_ message: HostMessage) -> Bool {
        guard message.kind.isFromHelper else { return false }
        let now = ContinuousClock.now
        state.withLock { state in
            state.lastPing = nil
            if message.kind != .pong { state.lastProgress = now }
        }
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

    private func admitAnswer(_ message: HostMessage) -> Bool {
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
        guard let answer = HostJSON.decode(HostAnswer.self, message.body),
            let call = state.withLock({ $0.calls.removeValue(forKey: message.session) })
        else { return false }
        call.answer.change { $0 = .success(answer) }
        return true
    }

    /// Waits for the end of the process, then ends everything that waits for it.
    private func conclude(_ process: pid_t, _ said: String) {
        var info = siginfo_t()
        // The process stays a zombie for a moment, so that its number can't belong to another one when it is killed.
        while waitid(P_PID, id_t(process), &info, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        end(said) { endOfProcess(process) }
    }

    /// Ends everything that waits for the helper.
    ///
    /// - Parameters:
    ///   - said: The end of its output.
    ///   - reap: Returns the status of the process and gives up its number.
    func end(_ said: String, reap: () -> Int32?) {
        let (calls, channels, death) = state.withLock { state -> ([Call], [HostChannel], HostDeath) in
            let status = reap()
            let isKilled = state.verdict != nil && state.verdict != .ended(nil)
            let death = HostDeath(cause: isKilled ? state.verdict ?? .hung : .ended(status), said: said)
            state.death = death
            defer { (state.calls, state.channels) = ([:], [:]) }
            return (Array(state.calls.values), Array(state.channels.values), death)
        }
        for call in calls { call.answer.change { $0 = .failure(.died(death)) } }
        for channel in channels { channel.end(.died(death)) }
        ended.change { $0 = true }
    }
}

import CDictationHelper
import DictationCore
import DictationSystem
import Synchronization

/// The work of a helper with an engine: it answers the messages of the program that started it.
final class HelperService: Sendable {
    private struct State {
        /// Whether the engine was asked for.
        var isLoading = false
        var engine: (any SpeechEngine)?
        var sessions: [UInt32: ServedSession] = [:]
        /// The sessions that were asked for and are not open yet.
        var opening: Set<UInt32> = []
    }

    private let socket: HelperSocket
    private let memory: SharedMemory
    private let state = Mutex(State())

    private static let bodyLimit = 256 << 20

    private init(_ socket: HelperSocket, _ memory: SharedMemory) {
        self.socket = socket
        self.memory = memory
    }

    /// Answers messages until the program closes the connection, then ends the process.
    static func run() -> Never {
        HelperRole.engine.checkConnection()
        guard let memory = try? SharedMemory(reading: HelperRole.memory) else { _exit(HelperRole.misuse) }
        let socket = HelperSocket(HelperRole.connection)
        let service = HelperService(socket, memory)
        var receiver = HelperReceiver(socket, limit: bodyLimit)
        while true {
            switch receiver.receive(waiting: true) {
            case .nothing: continue
            case .message(let message) where service.perform(message): continue
            case .message, .garbage: _exit(HelperRole.misuse)
            // Nothing is left to do, and the engine may be busy.
            case .end: _exit(0)
            }
        }
    }

    /// Performs a message. Returns `false` for one that no program of this version sends.
    private func perform(_ message: HelperMessage) -> Bool {
        switch message.kind {
        case .ping: socket.send(HelperMessage(kind: .pong))
        case .call:
            guard let call = HelperJSON.decode(HelperCall.self, message.body) else { return false }
            return perform(call, message.session)
        case .close:
            let session = state.withLock { state in
                state.opening.remove(message.session)
                return state.sessions.removeValue(forKey: message.session)
            }
            session?.close()
        case .audio, .finalize, .endInput:
            // A session that failed gets no more audio.
            guard let session = state.withLock({ $0.sessions[message.session] }) else { return true }
            return session.perform(message, memory)
        default: return false
        }
        return true
    }

    private func perform(_ call: HelperCall, _ number: UInt32) -> Bool {
        switch call {
        case .load(let request):
            let isFirst = state.withLock { state in
                defer { state.isLoading = true }
                return !state.isLoading
            }
            guard request.version == HelperCall.currentVersion, isFirst,
                let engine: EngineDescription = HelperJSON.value(request.engine)
            else { return false }
            load(engine, request, number)
        case .attempt(let attempt):
            guard attempt.version == HelperCall.currentVersion, !state.withLock({ $0.isLoading }),
                let trial: HelperTrial = HelperJSON.value(attempt.work)
            else { return false }
            let answer = HelperAnswer.attempted(attempt.nonce, HelperJSON.text(trial.perform()))
            socket.send(HelperMessage(kind: .answer, session: number, body: HelperJSON.encode(answer) ?? []))
            // Not `_exit`: a damaged library may fail only in the work that it does at the end of a process.
            exit(0)
        case _ where !state.withLock({ $0.isLoading }): return false
        case .format(let options):
            answer(number) { [self] () async throws(DictationError) in
                .format(try await engine().audioFormat(for: options))
            }
        case .prepare(let options):
            answer(number) { [self] () async throws(DictationError) in
                try await engine().prepare(options) { [socket] fraction in
                    guard (0...1).contains(fraction) else { return }
                    socket.send(HelperMessage(kind: .progress, session: number, number: fraction.bitPattern))
                }
                return .done
            }
        case .open(let request):
            guard (0..<SharedMemory.slotCount).contains(request.slot) else { return false }
            state.withLock { _ = $0.opening.insert(request.session) }
            answer(number) { [self] () async throws(DictationError) in .format(try await open(request)) }
        }
        return true
    }

    /// Loads the engine's library, gives up every right that the engine does not need, and creates the engine.
    ///
    /// No other thread runs yet: the kernel restricts only the calling thread and the threads that it starts later.
    private func load(_ engine: EngineDescription, _ request: HelperLoadRequest, _ number: UInt32) {
        let restrictions = Result { () throws(DictationError) in
            if engine.needsSherpaOnnx {
                SherpaOnnxLibrary.location = request.library
                _ = try SherpaOnnxLibrary.load()
            }
            return HelperRestrictions.apply(reading: engine.paths, memory: request.memory)
        }
        answer(number, on: DictationRuntime.current.blockingExecutor("helper-load")) {
            [self] () throws(DictationError) in
            let restrictions = try restrictions.get()
            let engine = try engine.makeEngine(in: .helper)
            state.withLock { $0.engine = engine }
            return .loaded(restrictions)
        }
    }

    private func engine() throws(DictationError) -> any SpeechEngine {
        guard let engine = state.withLock({ $0.engine }) else {
            throw DictationError(.notRunning, "The engine is not loaded.")
        }
        return engine
    }

    private func open(_ request: HelperSessionRequest) async throws(DictationError) -> AudioFormat {
        let engine = try engine()
        let format = try await engine.audioFormat(for: request.options)
        let session = ServedSession(request, format, socket)
        if let workers = request.workers {
            session.transcribe(with: engine, workers: workers)
        } else {
            try await session.start(makeSession(with: engine, request))
        }
        let isWanted = state.withLock { state in
            guard state.opening.remove(request.session) != nil else { return false }
            state.sessions[request.session] = session
            return true
        }
        if !isWanted { session.close() }
        return format
    }

    private func makeSession(
        with engine: any SpeechEngine, _ request: HelperSessionRequest
    ) async throws(DictationError) -> any RecognitionSession {
        if let known = request.known, let engine = engine as? SherpaOnnxEngine {
            return try await engine.makeSession(request.options, remembering: known)
        }
        return try await engine.makeSession(request.options)
    }

    private func answer(
        _ number: UInt32, on thread: (any TaskExecutor)? = nil,
        _ body: @escaping @Sendable () async throws(DictationError) -> HelperAnswer
    ) {
        Task(executorPreference: thread) { [socket] in
            var answer: HelperAnswer
            do throws(DictationError) { answer = try await body() } catch { answer = .failed(error) }
            socket.send(HelperMessage(kind: .answer, session: number, body: HelperJSON.encode(answer) ?? []))
        }
    }
}

import DictationCore
import DictationSystem
import Synchronization

/// A helper's side of one session: it feeds the engine from the shared memory and sends the results back.
final class ServedSession: Sendable {
    private struct Piece: Sendable {
        let audio: AudioBuffer
        let position: UInt64
    }

    private struct State {
        var received: UInt64 = 0
        /// The end of the audio that was received.
        var fed: Duration = .zero
        var session: (any RecognitionSession)?
        var tasks: [Task<Void, Never>] = []
        var isClosed = false
    }

    private let request: HelperSessionRequest
    private let format: AudioFormat
    private let socket: HelperSocket
    private let pieces = Mailbox<Piece, Never>()
    private let state = Mutex(State())
    /// The time through which the program knows the results to be final.
    private let told = Watched(Duration.zero)

    init(_ request: HelperSessionRequest, _ format: AudioFormat, _ socket: HelperSocket) {
        self.request = request
        self.format = format
        self.socket = socket
    }

    /// Starts to feed a session and to send its results.
    func start(_ session: any RecognitionSession) throws(DictationError) {
        try session.start(input)
        state.withLock { $0.session = session }
        // On a thread of its own, because a slow program blocks it.
        adopt(
            Task(executorPreference: DictationRuntime.current.blockingExecutor("helper-results")) { [self] in
                var iterator = session.results.makeAsyncIterator()
                do throws(DictationError) {
                    while let update = try await iterator.next() { tell(update) }
                } catch {
                    end(with: error)
                }
            })
    }

    /// Starts to transcribe a recording.
    func transcribe(with engine: any SpeechEngine, workers: Int) {
        let options = request.options
        adopt(
            DictationRuntime.current.task { [self] in
                do throws(DictationError) {
                    let results = ResultSink { self.tell($0) }.noting { [socket, id = request.session] length in
                        socket.send(HelperMessage(kind: .decoded, session: id, time: length))
                    }
                    try await engine.transcribeRecording(input, options: options, workers: workers, into: results)
                    end(with: nil)
                } catch {
                    end(with: error)
                }
            })
    }

    private var input: AudioInput {
        AudioInput { [pieces, socket, id = request.session, isInStep = request.isInStep] in
            var known: UInt64 = 0
            return { () async throws(DictationError) in
                guard let piece = await pieces.next() else { return nil }
                if isInStep || piece.position - known >= SharedMemory.window / 2 {
                    known = piece.position
                    socket.send(HelperMessage(kind: .taken, session: id, number: known))
                }
                return piece.audio
            }
        }
    }

    /// Performs a message. Returns `false` for one that no program of this version sends.
    func perform(_ message: HelperMessage, _ memory: SharedMemory) -> Bool {
        switch message.kind {
        case .audio: return receive(message, memory)
        case .finalize: finalize(message.number)
        case .endInput: pieces.finish()
        default: return false
        }
        return true
    }

    private func receive(_ message: HelperMessage, _ memory: SharedMemory) -> Bool {
        guard message.body.count == 4 else { return false }
        let count = message.body.withUnsafeBytes { Int(UInt32(littleEndian: $0.loadUnaligned(as: UInt32.self))) }
        let size = max(1, format.bytesPerFrame)
        guard count > 0, count <= SharedMemory.slotSize, count % size == 0 else { return false }
        let audio = AudioBuffer(format: format, start: message.time, frameCount: count / size) { bytes in
            memory.read(into: bytes, from: request.slot, at: message.number &- UInt64(count))
        }
        let isNext = state.withLock { state in
            guard message.number == state.received &+ UInt64(count) else { return false }
            state.received = message.number
            state.fed = max(state.fed, audio.end)
            return true
        }
        if isNext { pieces.put(Piece(audio: audio, position: message.number)) }
        return isNext
    }

    private func finalize(_ number: UInt64) {
        let (session, fed) = state.withLock { ($0.session, $0.fed) }
        guard let session else { return }
        adopt(
            DictationRuntime.current.task { [self] in
                do throws(DictationError) {
                    // The program has a deadline of its own.
                    while try await session.finalize(through: fed) == .incomplete {}
                } catch {
                    // The results end with the same error.
                    return
                }
                guard await told.first({ $0 >= fed ? true : nil }) != nil else { return }
                socket.send(HelperMessage(kind: .finalized, session: request.session, number: number))
            })
    }

    private func tell(_ update: SpeechUpdate) {
        guard let body = HelperUpdate.encode(update) else { return }
        socket.send(HelperMessage(kind: .update, session: request.session, body: body))
        if let time = update.finalizedThrough { told.change { $0 = max($0, time) } }
    }

    private func end(with error: DictationError?) {
        guard state.withLock({ !$0.isClosed }) else { return }
        let body = error.flatMap { HelperJSON.encode($0) } ?? []
        socket.send(HelperMessage(kind: .ended, session: request.session, body: body))
    }

    private func adopt(_ task: Task<Void, Never>) {
        let isClosed = state.withLock { state in
            state.tasks.append(task)
            return state.isClosed
        }
        if isClosed { task.cancel() }
    }

    /// Ends the session at once.
    func close() {
        let (session, tasks) = state.withLock { state in
            state.isClosed = true
            defer { (state.session, state.tasks) = (nil, []) }
            return (state.session, state.tasks)
        }
        pieces.finish()
        for task in tasks { task.cancel() }
        if let session { DictationRuntime.current.task { await session.cancel() } }
    }
}

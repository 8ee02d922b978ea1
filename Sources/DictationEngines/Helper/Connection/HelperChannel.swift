import DictationCore

/// The program's side of one session in a helper.
final class HelperChannel: Sendable {
    /// How the session ended.
    enum End: Sendable {
        /// Its recording is transcribed.
        case complete
        case failed(DictationError)
        case died(HelperDeath)
    }

    struct State: Sendable {
        var sent: UInt64 = 0
        var taken: UInt64 = 0
        var asked: UInt64 = 0
        var finalized: UInt64 = 0
        /// The end of the audio that was sent.
        var fed: Duration = .zero
        /// The pieces that the engine has not taken, with their last byte and their end.
        var waiting: [(position: UInt64, end: Duration)] = []
        /// The end of the audio that the engine took.
        var place: Duration = .zero
        var end: End?
    }

    let id: UInt32
    let slot: Int
    /// Whether each piece waits until the engine has taken the one before.
    let isInStep: Bool
    let state = Watched(State())
    /// Gets also the error of the engine, while nobody waits for the helper.
    private let results: ResultSink
    /// The number of bytes of a frame.
    private let frameSize: Int
    private let process: HelperProcess

    init(
        _ id: UInt32, slot: Int, isInStep: Bool, format: AudioFormat, of process: HelperProcess,
        into results: ResultSink
    ) {
        self.id = id
        self.slot = slot
        self.isInStep = isInStep
        self.process = process
        self.results = results
        frameSize = max(1, format.bytesPerFrame)
    }

    /// The end of the audio that the engine took; `nil` if the helper does not report each piece.
    var place: Duration? { isInStep ? state.value.place : nil }

    /// The greatest number of frames that ``send(_:)`` takes.
    var pieceSize: Int { max(1, SharedMemory.slotSize / 4 / frameSize) }

    /// Sends audio, and waits while the engine is behind.
    ///
    /// - Returns: How the session ended, or `nil` if it goes on.
    func send(_ piece: AudioBuffer) async throws(HelperFailure) -> End? {
        let count = UInt64(piece.frameCount * frameSize)
        let position = state.change { state in
            defer {
                state.sent += count
                state.fed = max(state.fed, piece.end)
                if isInStep { state.waiting.append((state.sent, piece.end)) }
            }
            return state.sent
        }
        let end = position + count
        let work = process.beginWork()
        defer { work.end() }
        piece.withUnsafeBytes { process.memory.write($0, to: slot, at: position) }
        var size: [UInt8] = []
        withUnsafeBytes(of: UInt32(count).littleEndian) { size += $0 }
        process.send(HelperMessage(kind: .audio, session: id, number: end, time: piece.start, body: size))
        let window = isInStep ? 0 : SharedMemory.window
        return try await wait { $0.taken + window >= end }
    }

    /// Has all audio made final, and waits for that.
    ///
    /// - Returns: How the session ended, or `nil` if it goes on.
    func finalize() async throws(HelperFailure) -> End? {
        let number = state.change { state in
            state.asked += 1
            return state.asked
        }
        let work = process.beginWork()
        defer { work.end() }
        process.send(HelperMessage(kind: .finalize, session: id, number: number))
        return try await wait { $0.finalized >= number }
    }

    /// Ends the input and waits until the recording is transcribed.
    func finish() async throws(HelperFailure) -> End {
        let work = process.beginWork()
        defer { work.end() }
        process.send(HelperMessage(kind: .endInput, session: id))
        guard let end = try await wait(until: { _ in false }) else { throw .cancelled }
        return end
    }

    private func wait(until isDone: @escaping @Sendable (State) -> Bool) async throws(HelperFailure) -> End? {
        let found = await state.first { state -> End?? in
            if let end = state.end { return .some(end) }
            return isDone(state) ? .some(nil) : nil
        }
        guard let found else { throw .cancelled }
        return found
    }

    /// Ends the session.
    func close() { process.close(self) }

    // MARK: Messages of the helper

    /// Applies a message. Returns `false` for one that an honest helper does not send.
    func admit(_ message: HelperMessage) -> Bool {
        switch message.kind {
        case .taken:
            return state.change { state in
                guard message.number > state.taken, message.number <= state.sent else { return false }
                state.taken = message.number
                while let first = state.waiting.first, first.position <= message.number {
                    state.place = max(state.place, first.end)
                    state.waiting.removeFirst()
                }
                return true
            }
        case .finalized:
            return state.change { state in
                guard message.number > state.finalized, message.number <= state.asked else { return false }
                state.finalized = message.number
                return true
            }
        case .update:
            guard let update = HelperUpdate.decode(message.body), update.isPlausible(through: state.value.fed) else {
                return false
            }
            results.emit(update)
            return true
        case .decoded:
            // Pieces of engines are padded.
            guard (.zero...state.value.fed + .seconds(1)).contains(message.time) else { return false }
            results.report(decoded: message.time)
            return true
        case .ended:
            let error = message.body.isEmpty ? nil : HelperJSON.decode(DictationError.self, message.body)
            guard message.body.isEmpty || error != nil else { return false }
            end(error.map { .failed($0) } ?? .complete)
            if let error { results.fail(error) }
            return true
        default: return false
        }
    }

    func end(_ end: End) { state.change { $0.end = $0.end ?? end } }
}

extension SpeechUpdate {
    /// Whether an engine that has the audio through a time can have made this update.
    func isPlausible(through end: Duration) -> Bool {
        // The pieces of engines overlap and are padded, by less than a second.
        let known = Duration.zero...(end + .seconds(1))
        func isKnown(_ range: Range<Duration>) -> Bool {
            known.contains(range.lowerBound) && known.contains(range.upperBound)
        }
        func isConfidence(_ value: Double?) -> Bool { value.map { (0...1).contains($0) } ?? true }
        switch self {
        case .revoked(let range): return range.lowerBound >= .zero
        case .finalized(let time), .turnEnded(let time): return known.contains(time)
        case .voice(let voice): return known.contains(voice.through) && (voice.speech.map(isKnown) ?? true)
        // Only a helper's program can tell that a helper failed.
        case .interrupted: return false
        case .volatile(let result), .final(let result):
            return isKnown(result.range)
                && result.words.allSatisfy { word in
                    (word.range.map(isKnown) ?? true) && isConfidence(word.confidence)
                } && result.alternatives.allSatisfy { isConfidence($0.confidence) }
        }
    }
}

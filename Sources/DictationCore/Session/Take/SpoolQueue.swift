/// A queue that writes a take's audio to the spool as fast as the disk allows. The take never waits for it.
///
/// The queue is bounded. Audio that does not fit, or comes after the disk failed, is not kept: the spool, and so a
/// `retry`, has a gap in its place.
final class SpoolQueue: Sendable {
    fileprivate struct State: Sendable {
        var id: SpooledTake.ID?
        var waiting = FIFO<CaptureEvent>()
        var length: Duration = .zero
        /// Audio that found no room and whose gap is not yet in the queue.
        var loss: AudioGap?
        /// The end of the take's audio.
        var end: Duration = .zero
        /// The time at which the spool failed. No audio is kept after it.
        var failure: Duration?
        var isClosed = false
        var isTextSafe = false
        var hasBegun = false
        var isDone = false
    }

    private enum Next: Sendable {
        case event(CaptureEvent)
        case end
    }

    /// How much audio may wait for the disk.
    static let capacity = Duration.seconds(60)
    /// How long one call of the spool may take before it is cancelled.
    private static let callTimeout = Duration.seconds(60)

    private let spool: any AudioSpool
    private let runtime: DictationRuntime
    private let state: Watched<State>
    /// Whether the take's audio is in the spool already.
    private let isKept: Bool
    private let complain: @Sendable (DictationError) -> Void

    /// Creates a queue for a new take.
    ///
    /// - Parameter complain: Called when the spool can't keep audio.
    init(
        _ spool: any AudioSpool, runtime: DictationRuntime, complain: @escaping @Sendable (DictationError) -> Void
    ) {
        self.spool = spool
        self.runtime = runtime
        self.complain = complain
        state = Watched(State())
        isKept = false
    }

    /// Creates a queue for a take that is in the spool already, except for the `missing` audio at its end.
    init(_ spool: any AudioSpool, runtime: DictationRuntime, kept id: SpooledTake.ID, missing: Range<Duration>?) {
        self.spool = spool
        self.runtime = runtime
        complain = { _ in }
        state = Watched(State(id: id, end: missing?.upperBound ?? .zero, failure: missing?.lowerBound))
        isKept = true
    }

    /// The take's identifier in the spool; `nil` while the spool does not keep it.
    var id: SpooledTake.ID? { state.value.id }

    /// The audio at the end of the take that is not kept because the spool failed.
    var missing: Range<Duration>? {
        let state = state.value
        return state.failure.flatMap { $0 < state.end ? $0..<state.end : nil }
    }

    /// Queues a buffer or a gap, without waiting.
    func append(_ event: CaptureEvent) {
        guard !isKept, let range = event.range else { return }
        let (isFirst, isLate) = state.change { state -> (Bool, Bool) in
            guard !state.isClosed else { return (false, false) }
            state.end = range.upperBound
            guard state.failure == nil else { return (false, false) }
            let isFirst = !state.hasBegun
            state.hasBegun = true
            let length = range.upperBound - range.lowerBound
            guard state.waiting.isEmpty || state.length + length <= Self.capacity else {
                let isLate = state.loss == nil
                state.lose(event, range)
                return (isFirst, isLate)
            }
            state.settleLoss()
            state.waiting.append(event)
            state.length += length
            return (isFirst, false)
        }
        if isFirst { runtime.task { await self.write() } }
        if isLate { complain(.spoolBehind) }
    }

    /// Writes the rest of the queue and closes the take, or deletes the take if its text is safe. Returns when that is
    /// done.
    func close(isTextSafe: Bool) async {
        let isFirst = state.change { state in
            state.isClosed = true
            state.isTextSafe = isTextSafe
            if isTextSafe { state.waiting.removeAll() } else { state.settleLoss() }
            defer { state.hasBegun = true }
            return !state.hasBegun
        }
        if isFirst { runtime.task { await self.write() } }
        await done()
    }

    /// Waits until the queue has closed or deleted the take.
    func done() async { _ = await state.first { $0.isDone ? true : nil } }

    // MARK: The writer's task

    private func write() async {
        var writer: (any AudioSpoolWriter)?
        while case .event(let event) = await next() {
            do throws(DictationError) {
                let current: any AudioSpoolWriter
                if let writer {
                    current = writer
                } else {
                    current = try await call { [spool] () throws(DictationError) in try await spool.makeWriter() }
                    writer = current
                    state.change { $0.id = current.id }
                }
                try await call { () throws(DictationError) in try await current.append(event) }
            } catch {
                state.change { state in
                    state.failure = event.range?.lowerBound ?? state.end
                    state.waiting.removeAll()
                }
                complain(error)
            }
        }
        if let writer { try? await call { () throws(DictationError) in try await writer.close() } }
        let now = state.value
        if now.isTextSafe, let id = now.id {
            do throws(DictationError) {
                try await call { [spool] () throws(DictationError) in try await spool.discard(id) }
                state.change { $0.id = nil }
            } catch {
                // The take stays in the spool, which lists it among its takes.
            }
        }
        state.change { $0.isDone = true }
    }

    private func call<Answer: Sendable>(
        _ body: sending @escaping () async throws(DictationError) -> Answer
    ) async throws(DictationError) -> Answer {
        guard let answer = try await runtime.within(Self.callTimeout, body) else { throw .spoolHangs }
        return answer
    }

    private func next() async -> Next {
        while true {
            let next = state.change { state -> Next? in
                guard let event = state.waiting.popFirst() else { return state.isClosed ? .end : nil }
                if let range = event.range { state.length -= range.upperBound - range.lowerBound }
                return .event(event)
            }
            if let next { return next }
            _ = await state.first { !$0.waiting.isEmpty || $0.isClosed ? true : nil }
        }
    }
}

extension SpoolQueue.State {
    fileprivate mutating func lose(_ event: CaptureEvent, _ range: Range<Duration>) {
        let frames = (loss?.frameCount ?? 0).adding(clamping: event.frameCount)
        let start = loss?.range.lowerBound ?? range.lowerBound
        loss = AudioGap(range: start..<max(start, range.upperBound), frameCount: frames, cause: .notKept)
    }

    fileprivate mutating func settleLoss() {
        guard let loss, failure == nil else { return }
        waiting.append(.gap(loss))
        length += loss.range.upperBound - loss.range.lowerBound
        self.loss = nil
    }
}

extension CaptureEvent {
    /// The range of a buffer or a gap; `nil` for other events.
    fileprivate var range: Range<Duration>? {
        switch self {
        case .buffer(let buffer): buffer.range
        case .gap(let gap): gap.range
        case .interrupted, .resumed, .routeChanged: nil
        }
    }

    fileprivate var frameCount: Int64 {
        switch self {
        case .buffer(let buffer): Int64(buffer.frameCount)
        case .gap(let gap): gap.frameCount
        case .interrupted, .resumed, .routeChanged: 0
        }
    }
}

extension DictationError {
    fileprivate static let spoolHangs = DictationError(
        .timedOut, "The disk does not answer, so the take's audio is not kept.",
        recovery: "The text is not affected. Use another disk.")

    fileprivate static let spoolBehind = DictationError(
        .timedOut, "The disk is too slow to keep all of the take's audio.",
        recovery: "The text is not affected, but the missing audio can't be recognized again. Use a faster disk.")
}

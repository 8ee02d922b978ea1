import DictationCore
import Synchronization

/// What happens in a take that is played rather than recorded: one thing after another, each of which takes a while.
protocol CaptureMoves: Sendable {
    /// What happens next; `nil` at the end.
    mutating func next() -> CaptureMove?
}

/// Something that takes a while and then is there.
struct CaptureMove {
    enum Outcome {
        case audio(AudioBuffer)
        case lost(AudioGap.Cause, AudioFormat)
        case nothing
        case event(CaptureEvent)
        case fail(DictationError)
    }
    var outcome: Outcome
    var duration: Duration = .zero
}

/// How many frames of a played take went where.
struct PlayedFrames: Sendable {
    var captured: Int64 = 0
    var delivered: Int64 = 0
    var lost: Int64 = 0
}

/// Plays a take on the clock, or for its reader.
final class PlayedTake: Sendable {
    private struct State {
        var moves: any CaptureMoves
        var timeline = AudioTimeline()
        var hasEnded = false
        var pump: Task<Void, Never>?
    }

    private let state: Mutex<State>
    private let feed: CaptureFeed
    private let pacing: CapturePacing
    private let runtime: DictationRuntime
    private let counts: Watched<PlayedFrames>
    private let executor: (any TaskExecutor)?

    init(
        _ moves: any CaptureMoves, pacing: CapturePacing, capacity: Duration, runtime: DictationRuntime,
        counts: Watched<PlayedFrames>, executor: (any TaskExecutor)? = nil
    ) {
        state = Mutex(State(moves: moves))
        feed = CaptureFeed(capacity: capacity)
        self.pacing = pacing
        self.runtime = runtime
        self.counts = counts
        self.executor = executor
    }

    var hasEnded: Bool { state.withLock { $0.hasEnded } }

    var stream: CaptureStream {
        CaptureStream { () throws(DictationError) in
            let event: CaptureEvent?
            switch self.pacing {
            case .live:
                var events = self.feed.stream.makeAsyncIterator()
                event = try await events.next()
            case .onDemand:
                if let executor = self.executor {
                    event = try await BlockingWork(on: executor).run { () throws(DictationError) in
                        try self.nextOnDemand()
                    }
                } else {
                    event = try self.nextOnDemand()
                }
            }
            switch event {
            case .buffer(let buffer): self.counts.change { $0.delivered += Int64(buffer.frameCount) }
            case .gap(let gap): self.counts.change { $0.lost += gap.frameCount }
            default: break
            }
            return event
        }
    }

    func begin() {
        guard pacing == .live else { return }
        let pump = Task(executorPreference: executor ?? runtime.executor) { await self.play() }
        state.withLock { $0.pump = pump }
    }

    /// Ends the take at this moment.
    func stop() async {
        let pump = state.withLock { state in
            if pacing == .onDemand { state.hasEnded = true }
            return state.pump
        }
        pump?.cancel()
        await pump?.value
    }

    /// Ends the stream.
    func finish() { feed.finish() }

    // MARK: On the clock

    private func play() async {
        var began = runtime.now()
        var wasStopped = false
        while let move = state.withLock({ $0.moves.next() }) {
            let due = began + move.duration
            let wait = due - runtime.now()
            if wait > .zero, !wasStopped {
                do { try await runtime.sleep(wait) } catch { wasStopped = true }
            }
            if Task.isCancelled { wasStopped = true }
            if wasStopped, runtime.now() < due {
                emit(move, lasting: max(.zero, runtime.now() - began))
                break
            }
            guard emit(move, lasting: move.duration) else { break }
            began = due
        }
        state.withLock { $0.hasEnded = true }
        if !wasStopped { feed.finish() }
    }

    /// Gives the part of a move that took place; `false` when it was the last.
    @discardableResult
    private func emit(_ move: CaptureMove, lasting duration: Duration) -> Bool {
        switch move.outcome {
        case .audio(let buffer):
            let captured = buffer.slice(0..<Int(clamping: buffer.format.frames(in: duration)))
            counts.change { $0.captured += Int64(captured.frameCount) }
            feed.write(captured)
        case .lost(let cause, let format):
            let frames = format.frames(in: duration)
            counts.change { $0.captured += frames }
            feed.lose(frames: frames, format: format, cause: cause)
        case .nothing: break
        case .event(let event): feed.send(event)
        case .fail(let error):
            feed.finish(throwing: error)
            return false
        }
        return true
    }

    // MARK: For the reader

    private func nextOnDemand() throws(DictationError) -> CaptureEvent? {
        let result = state.withLock { state -> Result<CaptureEvent?, DictationError> in
            while !state.hasEnded, let move = state.moves.next() {
                switch move.outcome {
                case .audio(let buffer):
                    let frames = Int64(buffer.frameCount)
                    counts.change { $0.captured += frames }
                    let range = state.timeline.advance(by: frames, of: buffer.format)
                    return .success(.buffer(buffer.moved(to: range.lowerBound)))
                case .lost(let cause, let format):
                    let frames = format.frames(in: move.duration)
                    guard frames > 0 else { continue }
                    counts.change { $0.captured += frames }
                    let range = state.timeline.advance(by: frames, of: format)
                    return .success(.gap(AudioGap(range: range, frameCount: frames, cause: cause)))
                case .nothing: continue
                case .event(let event): return .success(event)
                case .fail(let error):
                    state.hasEnded = true
                    return .failure(error)
                }
            }
            state.hasEnded = true
            return .success(nil)
        }
        return try result.get()
    }
}

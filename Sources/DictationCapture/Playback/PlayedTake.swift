import DictationCore
import Synchronization

/// The sequence of moves in a take that is played instead of recorded.
protocol PlayedSource: Sendable {
    /// Returns the next move, or `nil` at the end.
    mutating func next() -> CaptureMove?
}

/// One part of a played take: its outcome, and the time until the outcome arrives.
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

/// The numbers of frames that played takes captured, delivered and lost.
struct PlayedFrames: Sendable {
    var captured: Int64 = 0
    var delivered: Int64 = 0
    var lost: Int64 = 0
}

/// Plays a take: live on the clock, or on demand for its reader.
final class PlayedTake: Sendable {
    private struct Source {
        var moves: any PlayedSource
        var timeline = AudioTimeline()
    }

    private struct State {
        var hasEnded = false
        var pump: Task<Void, Never>?
    }

    /// Locked while a move is read, which may take long. So the state has its own lock: a stop never waits for a read.
    private let source: Mutex<Source>
    private let state = Mutex(State())
    private let feed: CaptureFeed
    private let pacing: CaptureStream.Pacing
    private let runtime: DictationRuntime
    private let counts: Watched<PlayedFrames>
    private let executor: (any TaskExecutor)?

    init(
        _ moves: any PlayedSource, pacing: CaptureStream.Pacing, capacity: Duration, runtime: DictationRuntime,
        counts: Watched<PlayedFrames>, executor: (any TaskExecutor)? = nil
    ) {
        source = Mutex(Source(moves: moves))
        feed = CaptureFeed(capacity: capacity)
        self.pacing = pacing
        self.runtime = runtime
        self.counts = counts
        self.executor = executor
    }

    var hasEnded: Bool { state.withLock { $0.hasEnded } }

    var stream: CaptureStream {
        CaptureStream { { () async throws(DictationError) in try await self.next() } }
    }

    private func next() async throws(DictationError) -> CaptureEvent? {
        let event: CaptureEvent?
        switch pacing {
        case .live:
            var events = feed.stream.makeAsyncIterator()
            event = try await events.next()
        case .onDemand:
            if let executor {
                event = try await BlockingWork(on: executor).run { () throws(DictationError) in
                    try self.nextOnDemand()
                }
            } else {
                event = try nextOnDemand()
            }
        }
        switch event {
        case .buffer(let buffer): counts.change { $0.delivered += Int64(buffer.frameCount) }
        case .gap(let gap): counts.change { $0.lost += gap.frameCount }
        default: break
        }
        return event
    }

    func begin() {
        guard pacing == .live else { return }
        let pump = Task(executorPreference: executor ?? runtime.executor) { await self.play() }
        state.withLock { $0.pump = pump }
    }

    /// Ends the take now.
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

    // MARK: Live

    private func play() async {
        var began = runtime.now()
        var wasStopped = false
        while let move = source.withLock({ $0.moves.next() }) {
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
        end()
        if !wasStopped { feed.finish() }
    }

    /// Sends the part of a move that lies within `duration`.
    ///
    /// - Returns: Whether the take goes on after this move.
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

    // MARK: On demand

    private func nextOnDemand() throws(DictationError) -> CaptureEvent? {
        let result = source.withLock { source -> Result<CaptureEvent?, DictationError> in
            while !hasEnded, let move = source.moves.next() {
                switch move.outcome {
                case .audio(let buffer):
                    let frames = Int64(buffer.frameCount)
                    counts.change { $0.captured += frames }
                    let range = source.timeline.advance(by: frames, of: buffer.format)
                    return .success(.buffer(buffer.moved(to: range.lowerBound)))
                case .lost(let cause, let format):
                    let frames = format.frames(in: move.duration)
                    guard frames > 0 else { continue }
                    counts.change { $0.captured += frames }
                    let range = source.timeline.advance(by: frames, of: format)
                    return .success(.gap(AudioGap(range: range, frameCount: frames, cause: cause)))
                case .nothing: continue
                case .event(let event): return .success(event)
                case .fail(let error):
                    end()
                    return .failure(error)
                }
            }
            end()
            return .success(nil)
        }
        return try result.get()
    }

    private func end() { state.withLock { $0.hasEnded = true } }
}

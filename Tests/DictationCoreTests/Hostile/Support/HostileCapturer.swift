import DictationCore
import Synchronization

/// A microphone whose behavior comes from closures.
final class HostileCapturer: AudioCapturer {
    typealias Start = @Sendable (_ number: Int) async throws(DictationError) -> CaptureStream
    typealias Stop = @Sendable (_ mode: CaptureOptions.StopMode) async -> Void

    let pacing: CaptureStream.Pacing
    let starts = Count()
    let stops = Count()
    private let start: Start
    private let stop: Stop

    init(pacing: CaptureStream.Pacing = .live, stop: @escaping Stop = { _ in }, start: @escaping Start) {
        self.pacing = pacing
        self.start = start
        self.stop = stop
    }

    func start(_ options: CaptureOptions) async throws(DictationError) -> CaptureStream {
        try await start(starts.next())
    }

    func stop(_ mode: CaptureOptions.StopMode) async {
        stops.next()
        await stop(mode)
    }
}

/// A live microphone that has a feed for each start. Closures can misuse the feed.
final class FedCapturer: AudioCapturer {
    let pacing = CaptureStream.Pacing.live
    private let runtime = DictationRuntime.current
    private let take = Mutex<(feed: CaptureFeed, loop: Task<Void, Never>)?>(nil)
    private let beforeStop: @Sendable () async -> Void
    private let afterStop: @Sendable (CaptureFeed) -> Void
    private let step: @Sendable (CaptureFeed, Int) -> Void
    let opens = Count()
    /// The number of starts without a stop.
    let open = Count()

    /// Creates a microphone that calls `step` every 100 ms to write to the feed.
    init(
        beforeStop: @escaping @Sendable () async -> Void = {},
        afterStop: @escaping @Sendable (CaptureFeed) -> Void = { $0.finish() },
        step: @escaping @Sendable (CaptureFeed, Int) -> Void = { feed, _ in feed.write(humming) }
    ) {
        (self.beforeStop, self.afterStop, self.step) = (beforeStop, afterStop, step)
    }

    func start(_ options: CaptureOptions) async throws(DictationError) -> CaptureStream {
        let feed = CaptureFeed()
        let isFirst = take.withLock { take in
            guard take == nil else { return false }
            let (runtime, step) = (runtime, step)
            take = (
                feed,
                runtime.task {
                    var number = 0
                    while !Task.isCancelled {
                        step(feed, number)
                        number += 1
                        await runtime.rest(.milliseconds(100))
                    }
                }
            )
            return true
        }
        guard isFirst else { throw DictationError(.alreadyRunning, "It is open.", recovery: "Stop it.") }
        opens.next()
        open.next()
        return feed.stream
    }

    func stop(_ mode: CaptureOptions.StopMode) async {
        await beforeStop()
        let ended = take.withLock { take in
            defer { take = nil }
            return take
        }
        guard let ended else { return }
        ended.loop.cancel()
        await ended.loop.value
        afterStop(ended.feed)
        open.drop()
    }

    deinit { take.withLock { $0?.loop.cancel() } }
}

/// A tenth of a second of sound that is loud enough for speech.
let humming = AudioBuffer((0..<1_600).map { $0 % 32 < 16 ? Int16(8_000) : -8_000 })

/// Returns a stream whose events come from a closure, which gets the number of each pull.
func stream(
    _ next: @escaping @Sendable (Int) async throws(DictationError) -> CaptureEvent?
) -> CaptureStream {
    let count = Count()
    return CaptureStream { { () async throws(DictationError) in try await next(count.next()) } }
}

/// Counts the pulls of a cancelled reader in a stream that never ends. Each pull takes 100 ms.
struct Pulls: Sendable {
    let late = Count()
    private let runtime = DictationRuntime.current

    /// Whether a cancelled reader has pulled more than 100 times, so that the stream can end and the test can fail.
    var isTooLate: Bool {
        get async {
            if Task.isCancelled { late.next() }
            await runtime.rest(.milliseconds(100))
            return late.value > 100
        }
    }
}

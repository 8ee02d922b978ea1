import Synchronization

/// The takes of a live capturer, one at a time. It keeps the promises of ``AudioCapturer/start(_:)`` and
/// ``AudioCapturer/stop(_:)``, whatever the order in which they are called; you write the capture.
///
///     let takes = CaptureTakes()
///     let stream = try await takes.start { feed in
///         feed.write(AudioBuffer(silence: 160, format: .speech))
///         await takes.stopped()
///     }
///     await takes.stop()
///
/// Releasing it stops the take.
public final class CaptureTakes: Sendable {
    private struct Running: Sendable {
        let feed: CaptureFeed
        let work: Task<Void, Never>
        let hasEnded: Watched<Bool>
    }

    private let gate = CaptureGate<Running>(hasEnded: \.hasEnded.value) { take in
        take.work.cancel()
        await take.work.value
    }
    private let current = Mutex<Task<Void, Never>?>(nil)
    private let runtime = DictationRuntime.current

    /// Creates the takes of a capturer.
    public init() {}

    deinit { current.withLock { $0?.cancel() } }

    /// Starts a take.
    ///
    /// - Parameters:
    ///   - capacity: The longest audio that may wait for the reader. A slower reader gets a gap in place of the rest.
    ///   - blockingThread: The name of a thread for a capture that blocks; `nil` for one that only waits in Swift. Wake it with
    ///     `withTaskCancellationHandler`.
    ///   - wakesFromOwnThread: Pass `true` if audio is written from a real-time thread.
    ///   - capture: Captures until its task is cancelled. When it returns, the stream ends, and when it throws, the stream
    ///     fails.
    /// - Returns: The stream for the reader.
    /// - Throws: `alreadyRunning` if a take runs; `cancelled` if it is stopped meanwhile.
    public func start(
        capacity: Duration = .seconds(5), blockingThread: String? = nil, wakesFromOwnThread: Bool = false,
        _ capture: @escaping @Sendable (CaptureFeed) async throws(DictationError) -> Void
    ) async throws(DictationError) -> CaptureStream {
        let take = try await gate.start { () throws(DictationError) in
            let feed = CaptureFeed(capacity: capacity, wakesFromOwnThread: wakesFromOwnThread)
            let hasEnded = Watched(false)
            let body: @Sendable () async -> Void = {
                do throws(DictationError) {
                    try await capture(feed)
                    feed.finish()
                } catch {
                    feed.finish(throwing: error)
                }
                hasEnded.change { $0 = true }
            }
            let thread = blockingThread.map { runtime.blockingExecutor($0) }
            let work = thread.map { Task(executorPreference: $0, operation: body) } ?? runtime.task(body)
            return Running(feed: feed, work: work, hasEnded: hasEnded)
        }
        current.withLock { $0 = take.work }
        return take.feed.stream
    }

    /// Waits, in a capture, until its take is stopped.
    public func stopped() async { while !Task.isCancelled { try? await runtime.sleep(.seconds(3_600)) } }

    /// Stops the take, if there is one, and returns when its capture has ended.
    public func stop() async { await gate.stop() }
}

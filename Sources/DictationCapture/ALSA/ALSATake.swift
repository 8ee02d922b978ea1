import DictationCore
import DictationSystem
import Synchronization

/// One recording of an `ALSACapturer`: a thread that runs a capture loop.
final class ALSATake: Sendable {
    /// The time limit for opening a device.
    private static let openTimeout = Duration.seconds(10)
    /// The time limit for the thread's end. A driver that hangs keeps its thread, and `end()` stops waiting for it.
    private static let endLimit = Duration.seconds(2)

    private let feed: CaptureFeed
    private let wake: Waker
    private let opened: Watched<Result<Void, DictationError>?>
    private let ended: Watched<Bool>
    private let runtime: DictationRuntime
    private let body: @Sendable () -> Void

    init(
        _ system: any PCMSystem, device: String, preferring format: AudioFormat, settings: CaptureLoop.Settings,
        warm: WarmDevice, runtime: DictationRuntime
    ) {
        let (feed, wake) = (CaptureFeed(wakesFromOwnThread: true), Waker())
        let (opened, ended) = (Watched<Result<Void, DictationError>?>(nil), Watched(false))
        // The closure does not capture the take. So the take can be released, and its `deinit` ends the thread.
        body = {
            let loop = CaptureLoop(
                system, device: device, preferring: format, feed: feed, wake: wake, settings: settings)
            do throws(DictationError) {
                try loop.open(warm.take(device, format, wake: wake))
                opened.change { $0 = .success(()) }
                if let pcm = loop.run() { warm.keep(pcm, device, format) }
            } catch {
                opened.change { $0 = .failure(error) }
                feed.finish(throwing: error)
            }
            ended.change { $0 = true }
        }
        (self.feed, self.wake, self.opened, self.ended, self.runtime) = (feed, wake, opened, ended, runtime)
    }

    deinit { wake.wake() }

    var hasEnded: Bool { ended.value }

    /// The captured audio. The stream keeps the take alive.
    var stream: CaptureStream {
        CaptureStream { { () async throws(DictationError) in try await self.next() } }
    }

    private func next() async throws(DictationError) -> CaptureEvent? {
        var events = feed.stream.makeAsyncIterator()
        return try await events.next()
    }

    /// Starts the thread and waits until the device is open.
    func begin() async throws(DictationError) {
        Task(executorPreference: BlockingThread(name: "capture")) { [body] in body() }
        let result = await runtime.within(Self.openTimeout) { [opened] in await opened.first { $0 } }
        switch result {
        case .success??: return
        case .failure(let error)??: throw error
        case nil, .some(nil):
            wake.wake()
            throw DictationError(
                .timedOut, "The device took longer than \(Self.openTimeout) to open.",
                recovery: "Try again. If it happens again, restart the sound server.")
        }
    }

    /// Ends the recording. Audio that was captured until now can still be read.
    func end() async {
        wake.wake()
        let hasEnded = await runtime.within(Self.endLimit) { [ended] in await ended.first { $0 ? true : nil } }
        if hasEnded == nil { feed.finish() }
    }
}

import DictationCore
import Synchronization

/// One recording of an `ALSACapturer`: a thread that runs a capture loop.
final class ALSATake: Sendable {
    /// How long a device may take to open.
    private static let openTimeout = Duration.seconds(10)
    /// How long the thread may take to end; a driver that hangs keeps its thread, and nobody waits for it.
    private static let endLimit = Duration.seconds(2)

    private let feed: CaptureFeed
    private let wake: WakeDescriptor
    private let opened: Watched<Result<Void, DictationError>?>
    private let ended: Watched<Bool>
    private let runtime: DictationRuntime
    private let body: @Sendable () -> Void

    init(
        _ system: any PCMSystem, device: String, preferring format: AudioFormat, settings: CaptureLoop.Settings,
        warm: WarmDevice, runtime: DictationRuntime
    ) {
        let (feed, wake) = (CaptureFeed(wakesFromOwnThread: true), WakeDescriptor())
        let (opened, ended) = (Watched<Result<Void, DictationError>?>(nil), Watched(false))
        // The thread holds what it works with and not the take, which so ends when nobody else holds it.
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

    deinit { wake.raise() }

    var hasEnded: Bool { ended.value }

    /// What is captured; whoever reads it keeps the recording going.
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
            wake.raise()
            throw DictationError(
                .timedOut, "The device took longer than \(Self.openTimeout) to open.",
                recovery: "Try again; if it stays so, restart the sound server.")
        }
    }

    /// Ends the recording; what was captured until now can still be read.
    func end() async {
        wake.raise()
        let hasEnded = await runtime.within(Self.endLimit) { [ended] in await ended.first { $0 ? true : nil } }
        if hasEnded == nil { feed.finish() }
    }
}

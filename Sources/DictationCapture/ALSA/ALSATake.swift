import DictationCore
import Synchronization

/// One recording of an `ALSACapturer`: a thread that runs a capture loop.
final class ALSATake: Sendable {
    /// How long a device may take to open.
    private static let openLimit = Duration.seconds(10)
    /// How long the thread may take to end; a driver that hangs keeps its thread, and nobody waits for it.
    private static let endLimit = Duration.seconds(2)

    private let feed = CaptureFeed(wakesFromOwnThread: true)
    private let wake = WakeDescriptor()
    private let opened = Watched<Result<Void, DictationError>?>(nil)
    private let ended = Watched(false)
    private let runtime: DictationRuntime
    private let body: @Sendable (ALSATake) -> Void

    init(
        _ system: any PCMSystem, device: String, preferring format: AudioFormat, settings: CaptureLoop.Settings,
        warm: WarmDevice, runtime: DictationRuntime
    ) {
        self.runtime = runtime
        body = { take in
            let loop = CaptureLoop(
                system, device: device, info: AudioDevice(id: device, name: device, isDefault: device == "default"),
                preferring: format, feed: take.feed, wake: take.wake, settings: settings)
            do throws(DictationError) {
                try loop.open(warm.take(device, format, wake: take.wake))
                take.opened.change { $0 = .success(()) }
                if let pcm = loop.run() { warm.keep(pcm, device, format) }
            } catch {
                take.opened.change { $0 = .failure(error) }
                take.feed.finish(throwing: error)
            }
            take.ended.change { $0 = true }
        }
    }

    var hasEnded: Bool { ended.value }
    var stream: CaptureStream { feed.stream }

    /// Starts the thread and waits until the device is open.
    func begin() async throws(DictationError) {
        Task(executorPreference: BlockingThread(name: "capture")) { self.body(self) }
        let result = await runtime.within(Self.openLimit) { [opened] in await opened.first { $0 } }
        switch result {
        case .success??: return
        case .failure(let error)??: throw error
        case nil, .some(nil):
            wake.raise()
            throw DictationError(
                .timedOut, "The device took longer than \(Self.openLimit) to open.",
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

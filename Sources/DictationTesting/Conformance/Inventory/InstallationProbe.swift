import DictationCore
import Synchronization

/// One attempt to install an asset, with a log.
final class InstallationProbe: Sendable {
    struct Log: Sendable {
        var progress: [ModelAsset.Progress] = []
        var hasEnded = false
        var outcome: Outcome<Void>?
    }

    let log = Watched(Log())
    let request: any AssetInstallation
    private let runtime = DictationRuntime.current
    private let reading = Mutex<Task<Void, Never>?>(nil)

    init(_ request: any AssetInstallation) { self.request = request }

    // The progress of a broken inventory may never end.
    deinit { reading.withLock { $0 }?.cancel() }

    /// Begins the installation.
    func begin() {
        let log = log
        let updates = request.progress
        let reading = runtime.task {
            for await progress in updates { log.change { $0.progress.append(progress) } }
            log.change { $0.hasEnded = true }
        }
        self.reading.withLock { $0 = reading }
        runtime.task { [request] in
            let outcome = await Outcome.of { () throws(DictationError) in try await request.install() }
            log.change { $0.outcome = outcome }
        }
    }

    /// Waits until a closure finds a value in the log.
    func first<Found: Sendable>(within limit: Duration, _ find: @escaping @Sendable (Log) -> Found?) async -> Found? {
        await runtime.within(limit) { [log] in await log.first(find) } ?? nil
    }

    func outcome(within limit: Duration) async -> Outcome<Void>? { await first(within: limit) { $0.outcome } }
}

extension InstallationProbe.Log {
    /// The most bytes that the progress has reported.
    var completedBytes: Int64 { progress.map(\.completedBytes).max() ?? 0 }

    /// Whether a part of the installation is complete, but not all of it.
    var isInTheMiddle: Bool {
        guard let last = progress.last, outcome == nil else { return false }
        return last.completedBytes > 0 && last.totalBytes.map { last.completedBytes < $0 } ?? true
    }
}

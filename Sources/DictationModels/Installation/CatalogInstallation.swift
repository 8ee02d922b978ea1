#if ModelCatalog
import DictationCore
import Synchronization

/// A request to install a model from a catalog. Requests for the same model share one download.
final class CatalogInstallation: AssetInstallation {
    let asset: ModelAsset
    let progress: ModelAsset.Progress.Updates
    private let continuation: ModelAsset.Progress.Updates.Continuation
    private let makeJob: @Sendable () -> InstallationJob
    private let runtime: DictationRuntime
    private let joined = Mutex<[(job: InstallationJob, participant: Int)]>([])

    init(asset: ModelAsset, runtime: DictationRuntime, makeJob: @escaping @Sendable () -> InstallationJob) {
        self.asset = asset
        (progress, continuation) = ModelAsset.Progress.Updates.makeStream()
        self.runtime = runtime
        self.makeJob = makeJob
    }

    func install() async throws(DictationError) {
        let (job, participant) = try await join()
        let result = await job.result(for: participant)
        joined.withLock { $0.removeAll { $0.job === job && $0.participant == participant } }
        job.leave(participant)
        if case .failure(let error) = result, error.code == .cancelled { await settle(job) }
        continuation.finish()
        try result.get()
    }

    func cancel() async {
        let left = joined.withLock { joined in
            defer { joined = [] }
            return joined
        }
        for (job, participant) in left { job.leave(participant) }
        for (job, _) in left { await settle(job) }
    }

    private func join() async throws(DictationError) -> (InstallationJob, Int) {
        while !Task.isCancelled {
            let job = makeJob()
            if let participant = job.join(continuation) {
                joined.withLock { $0.append((job, participant)) }
                return (job, participant)
            }
            await settle(job)
        }
        throw .installationCancelled
    }

    /// Waits until an ending job has closed its files, for at most ten seconds, because a validator may take long.
    private func settle(_ job: InstallationJob) async {
        _ = await runtime.within(.seconds(10)) { await job.end() }
    }
}
#endif

import Synchronization

/// The installations of an ``AssetInventory``: one of each asset at a time, with progress, cancelling and going on. You write
/// what installs an asset.
///
///     let installer = AssetInstaller { asset, report throws(DictationError) in
///         for step in 1...10 {
///             if Task.isCancelled { throw DictationError(.cancelled, "The installation was cancelled.") }
///             report(ModelAsset.Progress(completedBytes: Int64(step), totalBytes: 10))
///         }
///     }
///     try await installer.request(for: english).install()
///
/// An installation that was cancelled or failed leaves the asset ``ModelAsset/Status/stalled``. The next one calls the closure
/// again, which goes on with what is there.
public final class AssetInstaller: Sendable {
    /// Installs an asset, or goes on with it, and reports the progress. It ends soon after its task was cancelled.
    public typealias Work =
        @Sendable (
            _ asset: ModelAsset, _ report: @escaping @Sendable (ModelAsset.Progress) -> Void
        ) async throws(DictationError) -> Void

    private struct State {
        var running: Set<ModelAsset.ID> = []
        var stalled: Set<ModelAsset.ID> = []
    }

    private let state = Watched(State())
    private let runtime = DictationRuntime.current
    private let work: Work

    /// Creates an installer.
    public init(_ work: @escaping Work) { self.work = work }

    /// Returns `downloading` or `stalled`; `nil` for an asset that is installed or was never begun.
    public func status(of asset: ModelAsset.ID) -> ModelAsset.Status? {
        let state = state.value
        return state.running.contains(asset) ? .downloading : state.stalled.contains(asset) ? .stalled : nil
    }

    /// Forgets that an installation was begun, after what is there of it was removed.
    public func forget(_ asset: ModelAsset.ID) { state.change { $0.stalled.remove(asset) } }

    /// Returns a request to install an asset.
    public func request(for asset: ModelAsset) -> any AssetInstallation { InstallerRequest(asset, self) }

    /// Wakes the requests that wait, because one of them was cancelled.
    fileprivate func wake() { state.change { _ in } }

    /// Installs an asset, or waits for another request that does.
    fileprivate func install(_ asset: ModelAsset, _ request: InstallerRequest) async throws(DictationError) {
        let id = asset.id
        while !state.change({ $0.running.insert(id).inserted }) {
            let goesOn: Bool? = await state.first { state in
                request.isCancelled ? false : state.running.contains(id) ? nil : true
            }
            guard goesOn == true else { throw .installationCancelled }
            // The other one may have failed, or was cancelled.
            if !state.value.stalled.contains(id) { return }
        }
        let task = runtime.task { [work] () -> Result<Void, DictationError> in
            do throws(DictationError) {
                try await work(asset) { request.report($0) }
                return .success(())
            } catch {
                return .failure(error)
            }
        }
        request.run(task)
        let result = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        state.change { state in
            state.running.remove(id)
            if case .success = result { state.stalled.remove(id) } else { state.stalled.insert(id) }
        }
        if case .failure = result, task.isCancelled { throw .installationCancelled }
        try result.get()
    }
}

private final class InstallerRequest: AssetInstallation {
    private struct State {
        var isCancelled = false
        var task: Task<Result<Void, DictationError>, Never>?
    }

    let asset: ModelAsset
    let progress: ModelAsset.Progress.Updates
    private let continuation: ModelAsset.Progress.Updates.Continuation
    private let installer: AssetInstaller
    private let state = Mutex(State())

    init(_ asset: ModelAsset, _ installer: AssetInstaller) {
        (self.asset, self.installer) = (asset, installer)
        (progress, continuation) = ModelAsset.Progress.Updates.makeStream()
    }

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    func report(_ progress: ModelAsset.Progress) { continuation.yield(progress) }

    func run(_ task: Task<Result<Void, DictationError>, Never>) {
        let isCancelled = state.withLock { state in
            state.task = task
            return state.isCancelled
        }
        if isCancelled { task.cancel() }
    }

    func install() async throws(DictationError) {
        defer { continuation.finish() }
        state.withLock { $0 = State() }
        try await installer.install(asset, self)
    }

    func cancel() async {
        let task = state.withLock { state in
            state.isCancelled = true
            return state.task
        }
        task?.cancel()
        installer.wake()
    }
}

extension DictationError {
    fileprivate static let installationCancelled = DictationError(
        .cancelled, "The installation was cancelled.",
        recovery: "Install it again. The download goes on where it stopped.")
}

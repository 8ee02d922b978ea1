#if ModelCatalog
import DictationCore
import DictationFiles

/// Taking models away. A model's folder that is a link to somewhere else loses the link; what it leads to stays.
extension ModelStore {
    /// Takes a model away in one step, then deletes its files at leisure.
    func discard(_ name: FileName) throws(DictationError) {
        let folder = try make()
        let trash = try make(.trash)
        let grave = FileName(randomAfter: "removed-")
        try folder.rename(name, to: grave, in: trash)
        try folder.sync()
        try trash.remove(grave)
    }

    /// Deletes what a process left behind that was killed right after it had put a model in its place.
    func tidyUp(_ name: FileName) {
        guard let staging = try? existing(.staging), staging.status(of: name) != nil,
            let lock = try? lockIfFree(name)
        else { return }
        try? staging.remove(name)
        lock.release()
    }

    /// Deletes what killed processes left behind.
    func emptyTrash() {
        guard let trash = try? existing(.trash), let names = try? trash.names() else { return }
        for name in names { try? trash.remove(name) }
    }

    /// Makes room for a model: takes away what was used longest ago and is not reserved. Throws `storageFull` when that
    /// is not enough. A model that the user has moved and linked takes no room here.
    func makeRoom(for byteCount: Int64, besides id: ModelAsset.ID, within limit: Int64) throws(DictationError) {
        let others = installed(catalogs: []).filter {
            $0.origin == .user && $0.asset.id != id && !isLink($0.asset.id)
        }
        var total = others.reduce(byteCount) { $0 &+ ($1.receipt?.byteCount ?? 0) }
        let evictable = others.filter { !isReserved($0.asset.id) }.sorted {
            (lastUse(of: $0.asset.id), $0.asset.id) < (lastUse(of: $1.asset.id), $1.asset.id)
        }
        let most = evictable.reduce(total) { $0 &- ($1.receipt?.byteCount ?? 0) }
        guard most <= limit else {
            throw DictationError(
                .storageFull,
                "The model '\(id)' takes \(byteCount) bytes, and with what is reserved that is more than the limit of "
                    + "\(limit).",
                recovery: "Raise the limit, or release models that are not needed.")
        }
        for model in evictable where total > limit {
            guard let name = FileName(model: model.asset.id), let lock = try lockIfFree(name) else { continue }
            defer { lock.release() }
            try discard(name)
            total -= model.receipt?.byteCount ?? 0
        }
    }
}
#endif

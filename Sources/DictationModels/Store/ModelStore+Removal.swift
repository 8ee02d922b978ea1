#if ModelCatalog
import DictationCore
import DictationSystem

/// Removal of models. If a model's folder is a link, only the link is removed, and the folder behind it stays.
extension ModelStore {
    /// Moves a model to the trash in one step, then deletes its files.
    func discard(_ name: FileName) throws(DictationError) {
        let folder = try make()
        let trash = try make(.trash)
        let grave = FileName(randomAfter: "removed-")
        try folder.rename(name, to: grave, in: trash)
        try folder.sync()
        try trash.remove(grave)
    }

    /// Deletes a model's staging folder, which remains if a process is killed right after it installs the model.
    func tidyUp(_ name: FileName) {
        guard let staging = try? existing(.staging), staging.status(of: name) != nil,
            let lock = try? lockIfFree(name)
        else { return }
        try? staging.remove(name)
        lock.release()
    }

    /// Deletes the models that killed processes left in the trash.
    func emptyTrash() {
        guard let trash = try? existing(.trash), let names = try? trash.names() else { return }
        for name in names { try? trash.remove(name) }
    }

    /// Makes room for a model by removing models that are not reserved, the least recently used first. Libraries stay. A model that the
    /// user has moved elsewhere and linked takes no room in the store.
    ///
    /// - Throws: `storageFull` if that does not make enough room. No model is then removed.
    func makeRoom(for byteCount: Int64, besides id: ModelAsset.ID, within limit: Int64) throws(DictationError) {
        let others = installed(catalogs: []).filter {
            $0.origin == .user && $0.asset.id != id && !isLink($0.asset.id)
        }
        var total = others.reduce(byteCount) { $0 &+ ($1.receipt?.byteCount ?? 0) }
        let evictable = others.filter { $0.asset.kind == .model && !isReserved($0.asset.id) }.sorted {
            (lastUse(of: $0.asset.id), $0.asset.id) < (lastUse(of: $1.asset.id), $1.asset.id)
        }
        let most = evictable.reduce(total) { $0 &- ($1.receipt?.byteCount ?? 0) }
        guard most <= limit else {
            throw DictationError(
                .storageFull,
                "The model “\(id)” needs \(byteCount) bytes, and with the reserved models that exceeds the limit of "
                    + "\(limit).",
                recovery: "Raise sizeLimit, or release reserved models that you do not need.")
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

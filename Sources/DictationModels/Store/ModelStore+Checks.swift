#if ModelCatalog
import DictationCore
import DictationSystem

extension ModelStore {
    /// Looks up a model in the catalogs, then among the installed models.
    ///
    /// - Returns: The catalog's entry, or `nil` for a model that is only installed, and the model's description.
    /// - Throws: `unknownModel` if no catalog has the model and it is not installed.
    func known(
        _ id: ModelAsset.ID, catalogs: [ModelCatalog]
    ) throws(DictationError) -> (model: CatalogModel?, asset: ModelAsset) {
        if let model = catalogs.flatMap(\.models).first(where: { $0.id == id }) { return (model, model.asset) }
        if let installed = installed(id, catalogs: []).first { return (nil, installed.asset) }
        throw .noSuchModel(id)
    }

    /// Takes a model's lock.
    ///
    /// - Throws: `alreadyRunning` if another holder has the lock.
    func lock(_ name: FileName) throws(DictationError) -> FileLock {
        guard let lock = try lockIfFree(name) else {
            throw DictationError(
                .alreadyRunning, "The model “\(name.text)” is being installed.",
                recovery: "Wait until that installation ends, or cancel it.")
        }
        return lock
    }

    /// Takes a model's lock. Returns `nil` if another holder has it.
    func lockIfFree(_ name: FileName) throws(DictationError) -> FileLock? {
        try FileLock(name, in: make(.locks))
    }

    func isLocked(_ name: FileName) -> Bool {
        guard let locks = try? existing(.locks) else { return false }
        return FileLock.isHeld(name, in: locks)
    }

    /// Throws `modelUnpinned` for a model whose files have no known hashes, unless the caller allows such models.
    func checkPinned(_ model: CatalogModel, allowingUnpinned: Bool) throws(DictationError) {
        if allowingUnpinned || model.isPinned { return }
        guard let name = FileName(model: model.id), try recordedHashes(of: name) != nil else {
            throw .unpinned(model.id, model.trustWithoutHash)
        }
    }

    /// Hashes a model's files and compares the hashes with the receipt.
    ///
    /// - Returns: `false` for a system package, which has no receipt here.
    /// - Throws: `modelInvalid` if a file differs. The model is then marked as damaged, until its files are right again.
    func verify(_ model: InstalledModel, isCancelled: () -> Bool) throws(DictationError) -> Bool {
        guard let receipt = model.receipt else { return false }
        guard let folder = try Folder.existing(model.folder) else { throw .missing("open", model.folder) }
        for file in receipt.files {
            guard try hash(of: file, in: folder, isCancelled) != file.sha256 else { continue }
            // Another process may have installed the model again in the meantime.
            if let place = try Folder.existing(model.folder), let now = ModelReceipt.read(in: place),
                now.installation != receipt.installation
            {
                let fresh = InstalledModel(asset: now.asset, folder: model.folder, origin: model.origin, receipt: now)
                return try verify(fresh, isCancelled: isCancelled)
            }
            try markDamaged(model)
            throw DictationError(
                .modelInvalid, "The file “\(file.path)” of the model “\(model.asset.id)” is damaged.",
                recovery: "Install the model again.")
        }
        try unmarkDamaged(model)
        return true
    }

    private func hash(
        of file: CatalogModel.File, in folder: borrowing Folder, _ isCancelled: () -> Bool
    ) throws(DictationError) -> String? {
        do throws(DictationError) {
            guard let path = try? RelativePath(file.path), let open = try folder.open(path) else { return nil }
            return try ContentHash.sha256(of: open, isCancelled: isCancelled).hash
        } catch {
            if error.code == .cancelled { throw error }
            return nil
        }
    }
}

extension DictationError {
    static func noSuchModel(_ id: ModelAsset.ID) -> DictationError {
        DictationError(
            .unknownModel, "No catalog has the model “\(visible(id))”.",
            recovery: "Check the name, or add a catalog that has the model.")
    }
}
#endif

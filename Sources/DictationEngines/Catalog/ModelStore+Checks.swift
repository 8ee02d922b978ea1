#if ModelCatalog
    import DictationCore

    extension ModelStore {
        /// What the catalogues and the folders say of a model. Throws `modelNotInstalled` when nobody knows it.
        func known(
            _ id: Asset.ID, catalogs given: [ModelCatalog]
        ) throws(DictationError) -> (model: CatalogModel?, asset: Asset) {
            let catalogs = try catalogs(besides: given)
            if let model = catalogs.flatMap(\.models).first(where: { $0.id == id }) { return (model, model.asset) }
            if let installed = installed(id, catalogs: []).first { return (nil, installed.asset) }
            throw DictationError(
                .modelNotInstalled, "No catalogue has the model '\(id)'.",
                recovery: "Check its name, or add a catalogue that has it.")
        }

        /// Takes a model's lock. Throws `alreadyRunning` when someone else has it.
        func lock(_ id: Asset.ID) throws(DictationError) -> FileLock {
            try folder(".locks").make()
            guard let lock = try FileLock(lockPath(of: id)) else {
                throw DictationError(
                    .alreadyRunning, "The model '\(id)' is being installed.",
                    recovery: "Cancel that, or wait for it.")
            }
            return lock
        }

        /// Throws `modelUnpinned` when nothing says what a model's files must be, and the user has not said that it
        /// matters not.
        func checkPinned(_ model: CatalogModel, allowingUnpinned: Bool) throws(DictationError) {
            if allowingUnpinned || model.isPinned { return }
            guard try recordedHashes(of: model.id) != nil else { throw .unpinned(model.id) }
        }

        /// Hashes a model's files; `false` for a package of the system, which keeps its own list.
        func verify(_ model: InstalledModel, isCancelled: () -> Bool) throws(DictationError) -> Bool {
            guard let receipt = model.receipt else { return false }
            for file in receipt.files {
                let path = model.path + "/" + file.path
                let found: String?
                do throws(DictationError) {
                    found = try ContentHash.sha256(ofFile: path, isCancelled: isCancelled).hash
                } catch {
                    if error.code == .cancelled { throw error }
                    found = nil
                }
                guard found != file.sha256 else { continue }
                // Another process may have put a new one in its place meanwhile.
                if let now = ModelReceipt.read(in: Folder(model.path)), now.installation != receipt.installation {
                    let fresh = InstalledModel(asset: now.asset, path: model.path, origin: model.origin, receipt: now)
                    return try verify(fresh, isCancelled: isCancelled)
                }
                try markDamaged(model)
                throw DictationError(
                    .modelInvalid, "The file '\(path)' of the model '\(model.asset.id)' is damaged.",
                    recovery: "Install the model again.")
            }
            return true
        }
    }
#endif

#if ModelCatalog
public import DictationCore
import DictationSystem

extension CatalogAssetInventory {
    /// Verifies an installed model, and writes it to a tar.gz archive that another machine can import.
    ///
    /// - Parameters:
    ///   - asset: The model.
    ///   - path: The path of the archive.
    /// - Throws: `modelNotInstalled` if the model is not installed, `modelInvalid` if it is damaged, `invalidInput` for
    ///   a library.
    public func exportModel(_ asset: ModelAsset.ID, toFile path: String) async throws(DictationError) {
        let (store, given) = (store, given)
        try await longWork.run { () throws(DictationError) in
            let found = store.installed(asset, catalogs: store.catalogs(besides: given))
            guard let model = found.first(where: { !store.isDamaged($0) }) else {
                throw DictationError(
                    .modelNotInstalled, "The model “\(asset)” is not installed.", recovery: "Install it first.")
            }
            guard model.asset.kind != .library else { throw .libraryNeedsWheel(asset) }
            guard try store.verify(model, isCancelled: { Task.isCancelled }), let receipt = model.receipt else {
                throw .nothingToDownload(asset, package: asset)
            }
            guard let folder = try Folder.existing(model.folder) else { throw .missing("open", model.folder) }
            let target = try UserPath(path)
            let draft = FileName(randomAfter: ".export-")
            do throws(DictationError) {
                let writer = try ArchiveWriter(target.folder.create(draft))
                let root = try asset.asRelativePath()
                let files = try receipt.files.map { file throws(DictationError) in try file.path.asRelativePath() }
                for path in [RelativePath(FileName.modelReceipt)] + files {
                    guard let file = try folder.open(path) else { throw .missing("read", path.text) }
                    try writer.add(file, as: root.appending(path)) { Task.isCancelled }
                }
                try writer.finish()
                try target.folder.rename(draft, to: target.name, in: target.folder)
            } catch {
                try? target.folder.remove(draft)
                throw error
            }
        }
    }

    /// Installs a model from an archive on this machine: an archive that ``exportModel(_:toFile:)`` wrote, or the
    /// archive that a catalog's entry would download.
    ///
    /// - Parameters:
    ///   - path: The path of the archive.
    ///   - asset: The model of a catalog whose download the archive is; `nil` for an exported archive.
    ///   - allowingUnpinned: Pass `true` if the user consents to a model without known hashes.
    /// - Returns: The installed model.
    /// - Throws: `modelUnpinned` if the files have no known hashes, `modelInvalid` if the archive or model is wrong.
    @discardableResult
    public func importModel(
        fromFile path: String, as asset: ModelAsset.ID? = nil, allowingUnpinned: Bool = false
    ) async throws(DictationError) -> ModelAsset {
        let (store, given, sizeLimit) = (store, given, sizeLimit)
        let sealed = try await longWork.run { () throws(DictationError) in
            try ModelImport(store: store, catalogs: store.catalogs(besides: given), path: path)
                .prepare(asset, allowingUnpinned: allowingUnpinned)
        }
        do throws(DictationError) {
            try await validator(of: sealed.model.asset)?(sealed.model)
        } catch {
            try? sealed.assembly.removeTree()
            sealed.lock.release()
            throw error
        }
        return try await longWork.run { () throws(DictationError) in
            defer { sealed.lock.release() }
            let byteCount = sealed.model.receipt?.byteCount ?? 0
            if let limit = sizeLimit {
                try store.makeRoom(for: byteCount, besides: sealed.model.asset.id, within: limit)
            }
            try sealed.assembly.putInPlace(sealed.model)
            store.markUsed(sealed.model)
            store.emptyTrash()
            return sealed.model.asset
        }
    }
}

/// The import of an archive on this machine.
private struct ModelImport {
    let store: ModelStore
    let catalogs: [ModelCatalog]
    let path: String

    struct Sealed: Sendable {
        let assembly: ModelAssembly
        let model: InstalledModel
        /// The model's lock, held until the model is in place.
        let lock: FileLock
    }

    func prepare(_ asset: ModelAsset.ID?, allowingUnpinned: Bool) throws(DictationError) -> Sealed {
        if let asset { return try prepareDownload(of: asset, allowingUnpinned: allowingUnpinned) }
        return try prepareExport(allowingUnpinned: allowingUnpinned)
    }

    private func prepareDownload(of id: ModelAsset.ID, allowingUnpinned: Bool) throws(DictationError) -> Sealed {
        let known = try store.known(id, catalogs: catalogs)
        guard let model = known.model, model.downloads?.count == 1 else {
            throw DictationError(
                .invalidInput, "The model “\(id)” is not a single download.",
                recovery: "Export it on a machine that has it, and import that archive.")
        }
        try store.checkPinned(model, allowingUnpinned: allowingUnpinned)
        let assembly = try ModelAssembly(model: model, store: store)
        let path = path
        return try sealed(assembly) { download throws(DictationError) in
            let archive = try Self.open(path)
            guard let expected = try download.expectedHash() else { return archive }
            let found = try ContentHash.sha256(of: archive) { Task.isCancelled }.hash
            guard found == expected else {
                throw TransferFailure.wrongContent("its SHA-256 is \(found) instead of \(expected)").error(
                    at: path)
            }
            try archive.rewind()
            return archive
        }
    }

    private func sealed(
        _ assembly: ModelAssembly,
        opening open: (CatalogModel.Download) throws(DictationError) -> OpenFile
    ) throws(DictationError) -> Sealed {
        let lock = try store.lock(assembly.name)
        let model = try assembly.assemble(isCancelled: { Task.isCancelled }) { _, download throws(DictationError) in
            try open(download)
        }
        return Sealed(assembly: assembly, model: model, lock: lock)
    }

    private static func open(_ path: String) throws(DictationError) -> OpenFile {
        guard let file = try OpenFile.reading(path) else { throw .missing("read", path) }
        return file
    }

    /// Unpacks an exported archive. It contains the model's receipt, which names the model and the hashes of its files.
    private func prepareExport(allowingUnpinned: Bool) throws(DictationError) -> Sealed {
        let receipt = try receipt()
        let id = receipt.asset.id
        let known = catalogs.flatMap(\.models).first { $0.id == id }
        guard known?.kind ?? receipt.asset.kind != .library else { throw .libraryNeedsWheel(id) }
        var model =
            known
            ?? CatalogModel(
                id: id, engine: receipt.asset.engine, locales: receipt.asset.locales, name: receipt.asset.name,
                license: receipt.asset.license)
        let isPinned = known?.files.map { !$0.isEmpty && $0.allSatisfy { $0.sha256 != nil } } ?? false
        let name = FileName(model: id)
        let isRecorded =
            try name.map { name throws(DictationError) in try store.recordedHashes(of: name) != nil } ?? false
        guard allowingUnpinned || isPinned || isRecorded else {
            throw .unpinned(id, "the only hashes are those in the archive “\(visible(path))” itself.")
        }
        if !isPinned { model.files = receipt.files }
        model.downloads = [.archive([], root: id)]
        return try sealed(try ModelAssembly(model: model, store: store, isPinned: isPinned)) {
            _ throws(DictationError) in try Self.open(path)
        }
    }

    private func receipt() throws(DictationError) -> ModelReceipt {
        let bytes = try ArchiveReader(Self.open(path)).firstFile(limit: 16 << 20)
        guard let bytes, let receipt = ModelReceipt(json: bytes) else {
            throw DictationError(
                .modelInvalid, "The archive “\(visible(path))” does not name its model.",
                recovery: "Name the model of a catalog, or import an exported archive.")
        }
        return receipt
    }
}
extension DictationError {
    /// The error for a library in an exported archive, which only the archive itself would vouch for.
    fileprivate static func libraryNeedsWheel(_ asset: ModelAsset.ID) -> DictationError {
        DictationError(
            .invalidInput, "“\(visible(asset))” is a library. Only models can be exported and imported again.",
            recovery: "On another machine, install it, or import the wheel that its catalog names.")
    }
}
#endif

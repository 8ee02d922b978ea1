#if ModelCatalog
    public import DictationCore
    import FoundationEssentials
    import Synchronization

    /// A catalogue that the user added, as it was when it was fetched last.
    struct SavedCatalog: Codable {
        var source: String
        var keys: [CatalogKey]
        var json: Data

        func catalog() throws(DictationError) -> ModelCatalog {
            try ModelCatalog(json: Array(json), trusting: keys)
        }
    }

    extension ModelStore {
        /// The catalogues that the app gave, then those that the user added; those need no network any more.
        func catalogs(besides given: [ModelCatalog]) throws(DictationError) -> [ModelCatalog] {
            var catalogs = given
            for saved in try savedCatalogs() { catalogs.append(try saved.catalog()) }
            return catalogs
        }

        func savedCatalogs() throws(DictationError) -> [SavedCatalog] {
            let place = folder(".catalogs")
            var found: [SavedCatalog] = []
            for name in place.names where name.hasSuffix(".json") {
                guard let bytes = try SmallFile.read(place.file(name)) else { continue }
                guard let saved = try? JSONDecoder().decode(SavedCatalog.self, from: Data(bytes)) else {
                    throw DictationError(
                        .invalidInput, "The saved catalogue '\(place.file(name))' can't be read.",
                        recovery: "Remove that file and add the catalogue again.")
                }
                found.append(saved)
            }
            return found
        }

        func save(_ saved: SavedCatalog) throws(DictationError) {
            guard let data = try? JSONEncoder().encode(saved) else { return }
            let place = folder(".catalogs")
            try place.make()
            try SmallFile.write(Array(data), to: place.file(try catalogName(saved.source)))
        }

        func catalogName(_ source: String) throws(DictationError) -> String {
            try ContentHash.sha256(of: Array(source.utf8)) + ".json"
        }
    }

    extension CatalogAssetInventory {
        /// Adds a catalogue from a path or an `http` or `https` address, or fetches it again.
        ///
        /// With keys, it has to be signed with one of them, now and whenever it is fetched again. Throws `invalidInput` when
        /// it is not, when it can't be read, or when it has a model of the same id as another catalogue.
        public func addCatalog(_ source: String, trusting keys: [CatalogKey] = []) async throws(DictationError) {
            let isAddress = source.hasPrefix("https://") || source.hasPrefix("http://")
            let json = isAddress ? try await fetch(source) : try await read(source)
            let (store, given) = (store, given)
            try await work.run { () throws(DictationError) in
                let added = try ModelCatalog(json: json, trusting: keys)
                var others = given
                for saved in try store.savedCatalogs() where saved.source != source {
                    others.append(try saved.catalog())
                }
                let taken = Set(others.flatMap(\.models).map(\.id))
                if let clash = added.models.first(where: { taken.contains($0.id) }) {
                    throw DictationError(
                        .invalidInput, "Another catalogue has a model '\(clash.id)' already.",
                        recovery: "Remove that catalogue first, or ask for the model to be renamed.")
                }
                try store.save(SavedCatalog(source: source, keys: keys, json: Data(json)))
            }
        }

        /// The paths and addresses of the catalogues that were added.
        public func addedCatalogs() async throws(DictationError) -> [String] {
            let store = store
            return try await work.run { () throws(DictationError) in try store.savedCatalogs().map(\.source).sorted() }
        }

        /// Fetches every catalogue that was added again, with the keys that it was added with.
        public func refreshCatalogs() async throws(DictationError) {
            let store = store
            let saved = try await work.run { () throws(DictationError) in try store.savedCatalogs() }
            for catalog in saved { try await addCatalog(catalog.source, trusting: catalog.keys) }
        }

        /// Takes a catalogue away; what was installed from it stays.
        public func removeCatalog(_ source: String) async throws(DictationError) {
            let store = store
            try await work.run { () throws(DictationError) in
                try Folder.removeFile(store.folder(".catalogs").file(try store.catalogName(source)))
            }
        }

        private func read(_ path: String) async throws(DictationError) -> [UInt8] {
            let bytes = try await work.run { () throws(DictationError) in try SmallFile.read(path) }
            guard let bytes else { throw .file("read the catalogue", path, 2) }
            return bytes
        }

        private func fetch(_ address: String) async throws(DictationError) -> [UInt8] {
            let request = TransferRequest(address: address, connectTimeout: options.stallTimeout)
            let body = WholeBody()
            let transport = transport
            let limit = options.stallTimeout * 4
            let failure = await runtime.within(limit) { await transport.fetch(request, into: body) }
            switch failure {
            case .none: throw TransferFailure.interrupted("it took longer than \(limit)").error(at: address)
            case .some(.some(let failure)): throw failure.error(at: address)
            case .some(.none): return body.bytes
            }
        }
    }

    /// An answer that fits in memory.
    private final class WholeBody: TransferReceiver {
        private let state = Mutex<[UInt8]>([])
        var bytes: [UInt8] { state.withLock { $0 } }

        func begin(_ head: TransferHead) -> TransferFailure? {
            head.status == 200 ? nil : .unusable("the server answered \(head.status)")
        }

        func take(_ bytes: UnsafeRawBufferPointer) -> TransferFailure? {
            state.withLock { body in
                guard body.count + bytes.count <= SmallFile.maximumByteCount else {
                    return .unusable("it is larger than \(SmallFile.maximumByteCount >> 20) MB")
                }
                body += bytes
                return nil
            }
        }
    }
#endif

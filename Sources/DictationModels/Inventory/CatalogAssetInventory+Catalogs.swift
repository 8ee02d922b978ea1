#if ModelCatalog
public import DictationCore
import DictationFiles
import Synchronization

extension CatalogAssetInventory {
    /// Adds a catalogue from a path or an `http` or `https` address, or fetches it again.
    ///
    /// With keys, it has to be signed with one of them, now and whenever it is fetched again; a catalogue that was added
    /// with keys keeps them when none are given. Throws `invalidInput` when it is not signed so, when it is older than the
    /// issue that is here or has expired, when other keys are given than it was added with, when it can't be read, or when
    /// it has a model of the same id as another catalogue. The catalogue that is here stays then.
    public func addCatalog(_ source: String, trusting keys: [CatalogKey] = []) async throws(DictationError) {
        let json = try await json(of: source)
        let (store, given) = (store, given)
        try await work.run { () throws(DictationError) in
            let lock = try FileLock(waitingFor: ModelStore.Place.catalogs.name, in: store.make(.locks))
            defer { lock.release() }
            try store.save(store.checked(json, from: source, trusting: keys, besides: given).saved)
        }
    }

    /// Reads a catalogue without adding it: returns what ``addCatalog(_:trusting:)`` would add, and throws what that
    /// would throw. Give it to an inventory of its own to list its models.
    public func readCatalog(
        _ source: String, trusting keys: [CatalogKey] = []
    ) async throws(DictationError) -> ModelCatalog {
        let json = try await json(of: source)
        let (store, given) = (store, given)
        return try await work.run { () throws(DictationError) in
            try store.checked(json, from: source, trusting: keys, besides: given).catalog
        }
    }

    private func json(of source: String) async throws(DictationError) -> [UInt8] {
        let isAddress = ["https://", "http://"].contains { source.utf8.starts(with: $0.utf8) }
        return isAddress ? try await fetch(source) : try await read(source)
    }

    /// The paths and addresses of the catalogues that were added and can be used.
    public func addedCatalogs() async throws(DictationError) -> [String] {
        let store = store
        return try await work.run { () throws(DictationError) in
            store.savedCatalogs().readable.map(\.source).sorted()
        }
    }

    /// Returns what is wrong with the added catalogues that can't be used, because they are damaged or have expired. The
    /// models of the others can be used.
    public func catalogProblems() async -> [DictationError] {
        let store = store
        return (try? await work.run { store.savedCatalogs().problems }) ?? []
    }

    /// Fetches every catalogue that was added again, with the keys that it was added with.
    public func refreshCatalogs() async throws(DictationError) {
        let store = store
        let sources = try await work.run { () throws(DictationError) in store.savedCatalogs().sources }
        for source in sources { try await addCatalog(source) }
    }

    /// Takes a catalogue away; what was installed from it stays.
    public func removeCatalog(_ source: String) async throws(DictationError) {
        let store = store
        try await work.run { () throws(DictationError) in
            try store.existing(.catalogs)?.remove(SavedCatalog.name(source))
        }
    }

    private func read(_ path: String) async throws(DictationError) -> [UInt8] {
        try await work.run { () throws(DictationError) in
            guard let file = try OpenFile.reading(path) else { throw .missing("read the catalogue", path) }
            return try file.readAll(limit: largestCatalogByteCount)
        }
    }

    private func fetch(_ address: String) async throws(DictationError) -> [UInt8] {
        let request = TransferRequest(address: address, connectTimeout: downloads.stallTimeout)
        let body = WholeBody()
        let transport = transport
        let limit = downloads.stallTimeout * 4
        let failure = await runtime.within(limit) { await transport.fetch(request, into: body) }
        switch failure {
        case .none: throw TransferFailure.interrupted("it took longer than \(limit)").error(at: address)
        case .some(.some(let failure)): throw failure.error(at: address)
        case .some(.none): return body.bytes
        }
    }
}

extension ModelStore {
    /// Checks a catalogue against its keys, its earlier issue and the other catalogues.
    fileprivate func checked(
        _ json: [UInt8], from source: String, trusting keys: [CatalogKey], besides given: [ModelCatalog]
    ) throws(DictationError) -> (saved: SavedCatalog, catalog: ModelCatalog) {
        let before = try savedCatalog(source)
        var added = SavedCatalog(source: source, keys: before?.keys ?? [], json: json)
        if !keys.isEmpty {
            guard added.keys.isEmpty || Set(added.keys) == Set(keys) else {
                throw .untrusted("The catalogue '\(visible(source))' was added with another key.")
            }
            added.keys = keys
        }
        let opened = try added.opened()
        try opened.checkTime()
        if let before = try before?.opened() { try opened.check(after: before) }
        let others = savedCatalogs().readable.filter { !$0.source.utf8.elementsEqual(source.utf8) }.map(\.catalog)
        let taken = Set((given + others).flatMap(\.models).map(\.id))
        if let clash = opened.catalog.models.first(where: { taken.contains($0.id) }) {
            throw DictationError(
                .invalidInput, "Another catalogue has a model '\(clash.id)' already.",
                recovery: "Remove that catalogue first, or ask for the model to be renamed.")
        }
        return (added, opened.catalog)
    }
}

private let largestCatalogByteCount = 16 << 20

/// An answer that fits in memory.
private final class WholeBody: TransferReceiver {
    private let state = Mutex<[UInt8]>([])
    var bytes: [UInt8] { state.withLock { $0 } }

    func begin(_ head: TransferHead) -> TransferFailure? {
        head.status == 200 ? nil : .unusable("the server answered \(head.status)")
    }

    func take(_ bytes: UnsafeRawBufferPointer) -> TransferFailure? {
        state.withLock { body in
            guard body.count + bytes.count <= largestCatalogByteCount else {
                return .unusable("it is larger than \(largestCatalogByteCount >> 20) MB")
            }
            body += bytes
            return nil
        }
    }
}
#endif

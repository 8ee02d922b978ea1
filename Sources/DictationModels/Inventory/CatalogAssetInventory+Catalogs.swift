#if ModelCatalog
public import DictationCore
import DictationSystem
import DictationWeb
import Synchronization

extension CatalogAssetInventory {
    /// Adds a catalog, or fetches an added catalog again. If this throws, an earlier version of the catalog stays.
    ///
    /// - Parameters:
    ///   - source: A path, or an `http` or `https` address. Without keys, `http` is only for this machine.
    ///   - keys: The keys of which one must have signed the catalog, now and whenever it is fetched again. Without
    ///     keys, the catalog keeps the keys that it was added with.
    /// - Throws: `invalidInput` if the catalog is not valid, is not signed with one of the keys, is older than the
    ///   saved edition, has expired, was added with other keys, or has a model with the same id as another catalog.
    public func addCatalog(_ source: String, trusting keys: [ModelCatalog.Key] = []) async throws(DictationError) {
        let json = try await json(of: source, trusting: keys)
        let (store, given) = (store, given)
        try await work.run { () throws(DictationError) in
            let lock = try FileLock(waitingFor: ModelStore.Place.catalogs.name, in: store.make(.locks))
            defer { lock.release() }
            try store.save(store.checked(json, from: source, trusting: keys, besides: given).saved)
        }
    }

    /// Reads a catalog without adding it. To list its models, create another inventory with it.
    ///
    /// - Parameters:
    ///   - source: A path, or an `http` or `https` address.
    ///   - keys: The keys of which one must have signed the catalog.
    /// - Returns: The catalog that ``addCatalog(_:trusting:)`` would add.
    /// - Throws: The error that ``addCatalog(_:trusting:)`` would throw.
    public func readCatalog(
        _ source: String, trusting keys: [ModelCatalog.Key] = []
    ) async throws(DictationError) -> ModelCatalog {
        let json = try await json(of: source, trusting: keys)
        let (store, given) = (store, given)
        return try await work.run { () throws(DictationError) in
            try store.checked(json, from: source, trusting: keys, besides: given).catalog
        }
    }

    private func json(of source: String, trusting keys: [ModelCatalog.Key]) async throws(DictationError) -> [UInt8] {
        if source.utf8.starts(with: "https://".utf8) { return try await fetch(source) }
        guard source.utf8.starts(with: "http://".utf8) else { return try await read(source) }
        let store = store
        let isSigned = try await work.run { () throws(DictationError) in
            let saved = try store.savedCatalog(source)
            return !(keys + (saved?.keys ?? [])).isEmpty
        }
        guard isSigned || WebAddress(source).map({ LocalHost.is($0.host) }) == true else {
            throw DictationError(
                .invalidInput, "Anyone on the way could change the catalog “\(visible(source))”, so it is not used.",
                recovery: "Use an https address, or a signed catalog with its key.")
        }
        return try await fetch(source)
    }

    /// Returns the paths and addresses of the added catalogs that can be used.
    public func addedCatalogs() async throws(DictationError) -> [String] {
        let store = store
        return try await work.run { () throws(DictationError) in
            store.savedCatalogs().readable.map(\.source).sorted()
        }
    }

    /// Returns an error for each added catalog that is damaged or has expired. The other catalogs stay usable.
    public func catalogProblems() async -> [DictationError] {
        let store = store
        return (try? await work.run { store.savedCatalogs().problems }) ?? []
    }

    /// Fetches every added catalog again, with the keys that it was added with.
    ///
    /// - Throws: The error of the first catalog that fails, as ``addCatalog(_:trusting:)`` does.
    public func refreshCatalogs() async throws(DictationError) {
        let store = store
        let sources = try await work.run { () throws(DictationError) in store.savedCatalogs().sources }
        for source in sources { try await addCatalog(source) }
    }

    /// Removes an added catalog. Models that were installed from it stay.
    ///
    /// - Parameter source: The path or address with which the catalog was added.
    /// - Throws: `invalidInput` if no such catalog was added.
    public func removeCatalog(_ source: String) async throws(DictationError) {
        let store = store
        try await work.run { () throws(DictationError) in
            let name = try SavedCatalog.name(source)
            guard let folder = try store.existing(.catalogs), try folder.names().contains(name) else {
                let added = store.savedCatalogs().sources.sorted().map { "“\(visible($0))”" }
                throw DictationError(
                    .invalidInput, "No catalog “\(visible(source))” was added.",
                    recovery: added.isEmpty ? "There is none." : "There are: \(added.joined(separator: ", ")).")
            }
            try folder.remove(name)
        }
    }

    private func read(_ path: String) async throws(DictationError) -> [UInt8] {
        try await work.run { () throws(DictationError) in
            guard let file = try OpenFile.reading(path) else { throw .missing("read the catalog", path) }
            return try file.readAll(limit: largestCatalogByteCount)
        }
    }

    private func fetch(_ address: String) async throws(DictationError) -> [UInt8] {
        let request = TransferRequest(address: address, connectTimeout: downloads.stallTimeout)
        let body = WholeBody()
        let transport = transport
        let limit = min(.longestWait, downloads.stallTimeout) * 4
        let failure = await runtime.within(limit) { await transport.fetch(request, into: body) }
        switch failure {
        case .none: throw TransferFailure.interrupted("it took longer than \(limit)").error(at: address)
        case .some(.some(let failure)): throw failure.error(at: address)
        case .some(.none): return body.bytes
        }
    }
}

extension ModelStore {
    /// Checks a catalog against its keys, its earlier edition and the other catalogs.
    fileprivate func checked(
        _ json: [UInt8], from source: String, trusting keys: [ModelCatalog.Key], besides given: [ModelCatalog]
    ) throws(DictationError) -> (saved: SavedCatalog, catalog: ModelCatalog) {
        let before = try savedCatalog(source)
        var added = SavedCatalog(source: source, keys: before?.keys ?? [], json: json)
        if !keys.isEmpty {
            guard added.keys.isEmpty || Set(added.keys) == Set(keys) else {
                throw .untrusted("The catalog “\(visible(source))” was added with another key.")
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
                .invalidInput, "Another catalog already has a model “\(clash.id)”.",
                recovery: "Remove that catalog first, or ask the publisher to rename the model.")
        }
        return (added, opened.catalog)
    }
}

private let largestCatalogByteCount = 16 << 20

/// Receives a response of limited size in memory.
private final class WholeBody: TransferReceiver {
    private let state = Mutex<[UInt8]>([])
    var bytes: [UInt8] { state.withLock { $0 } }

    func begin(_ head: WebHead) -> TransferFailure? {
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

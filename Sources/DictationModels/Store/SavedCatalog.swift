#if ModelCatalog
import DictationCore
import DictationFiles
import FoundationEssentials

/// A catalogue that the user added, as it was when it was fetched last.
struct SavedCatalog: Codable {
    var source: String
    var keys: [CatalogKey]
    private var json: Data

    init(source: String, keys: [CatalogKey], json: [UInt8]) {
        self.source = source
        self.keys = keys
        self.json = Data(json)
    }

    /// What it offers. Throws `invalidInput` when it is not signed as it should be, or when it passes some folder of
    /// this machine for a model that a package has installed.
    func opened() throws(DictationError) -> OpenedCatalog {
        let opened = try OpenedCatalog(json: Array(json), trusting: keys)
        if let model = opened.catalog.models.first(where: { !($0.packaged?.isOfTheSystem ?? true) }) {
            throw DictationError(
                .invalidInput, "The catalogue's model '\(model.id)' has a package that is not below /usr.",
                recovery: "Offer a download in its place, or give the catalogue to CatalogAssetInventory in code.")
        }
        return opened
    }

    /// The file that a catalogue is saved in.
    static func name(_ source: String) throws(DictationError) -> FileName {
        let hash = try ContentHash.sha256(of: Array(source.utf8))
        guard let name = try? FileName(hash + ".json") else { throw .unreadable(source) }
        return name
    }
}

/// The catalogues that the user added.
struct SavedCatalogs {
    /// Those that hold.
    var readable: [(source: String, catalog: ModelCatalog)] = []
    /// Where all came from whose file can be read, expired or not.
    var sources: [String] = []
    /// What is wrong with the others.
    var problems: [DictationError] = []
}

extension ModelStore {
    /// The catalogues that the app gave, then those that the user added; those need no network any more.
    func catalogs(besides given: [ModelCatalog]) -> [ModelCatalog] {
        given + savedCatalogs().readable.map(\.catalog)
    }

    func savedCatalogs() -> SavedCatalogs {
        var found = SavedCatalogs()
        guard let folder = try? existing(.catalogs), let names = try? folder.names() else { return found }
        for name in names where name.bytes.ends(with: ".json".utf8) {
            do throws(DictationError) {
                guard let saved = try read(name, in: folder) else { continue }
                found.sources.append(saved.source)
                let opened = try saved.opened()
                try opened.checkTime()
                found.readable.append((saved.source, opened.catalog))
            } catch { found.problems.append(error) }
        }
        return found
    }

    /// The catalogue that was saved from a source; `nil` when there is none.
    func savedCatalog(_ source: String) throws(DictationError) -> SavedCatalog? {
        guard let folder = try existing(.catalogs) else { return nil }
        return try read(SavedCatalog.name(source), in: folder)
    }

    func save(_ saved: SavedCatalog) throws(DictationError) {
        guard let data = try? JSONEncoder().encode(saved) else { return }
        try make(.catalogs).write(data, to: SavedCatalog.name(saved.source))
    }

    private func read(_ name: FileName, in folder: borrowing Folder) throws(DictationError) -> SavedCatalog? {
        guard let file = try folder.open(RelativePath(name)) else { return nil }
        // Base64 makes it larger than what was fetched.
        guard
            let saved = try? JSONDecoder().decode(SavedCatalog.self, from: Data(try file.readAll(limit: 64 << 20)))
        else { throw .unreadable(file.path) }
        return saved
    }
}

extension Sequence where Element == UInt8 {
    fileprivate func ends(with ending: some BidirectionalCollection<UInt8>) -> Bool
    where Self: BidirectionalCollection {
        reversed().starts(with: ending.reversed())
    }
}

extension DictationError {
    fileprivate static func unreadable(_ path: String) -> DictationError {
        DictationError(
            .invalidInput, "The saved catalogue '\(visible(path))' can't be read.",
            recovery: "Remove that file and add the catalogue again.")
    }
}
#endif

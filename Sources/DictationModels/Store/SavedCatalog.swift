#if ModelCatalog
import DictationCore
import DictationSystem
import FoundationEssentials

/// A catalog that the user added, as last fetched.
struct SavedCatalog: Codable {
    var source: String
    var keys: [ModelCatalog.Key]
    private var json: Data

    init(source: String, keys: [ModelCatalog.Key], json: [UInt8]) {
        self.source = source
        self.keys = keys
        self.json = Data(json)
    }

    /// Opens the catalog and checks its signature.
    ///
    /// - Throws: `invalidInput` if the signature is wrong, or if the catalog offers a library or declares a folder
    ///   outside `/usr` to be the model of a system package.
    func opened() throws(DictationError) -> OpenedCatalog {
        let opened = try OpenedCatalog(json: Array(json), trusting: keys)
        if let model = opened.catalog.models.first(where: { !($0.packaged?.isOfTheSystem ?? true) }) {
            throw DictationError(
                .invalidInput, "The catalog's model “\(model.id)” names a package folder outside /usr.",
                recovery: "Give the model a download instead, or pass the catalog to CatalogAssetInventory in code.")
        }
        // A library is code that runs in the app's process, so only the app itself chooses where it comes from.
        if let library = opened.catalog.models.first(where: { $0.kind == .library }) {
            throw DictationError(
                .invalidInput, "The catalog offers the library “\(library.id)”, but it may only offer models.",
                recovery: "Ask its publisher to remove the library.")
        }
        return opened
    }

    /// Returns the name of the file in which a catalog is saved.
    static func name(_ source: String) throws(DictationError) -> FileName {
        let hash = try ContentHash.sha256(of: Array(source.utf8))
        guard let name = try? FileName(hash + ".json") else { throw .unreadable(source) }
        return name
    }
}

/// The saved catalogs, and the problems with those that can't be used.
struct SavedCatalogs {
    /// The catalogs that can be used.
    var readable: [(source: String, catalog: ModelCatalog)] = []
    /// The sources of all catalogs whose file can be read, including expired ones.
    var sources: [String] = []
    /// The errors of the catalogs that can't be used.
    var problems: [DictationError] = []
}

extension ModelStore {
    /// Returns the app's catalogs, then the usable ones that the user added. Needs no network.
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

    /// Returns the saved catalog of a source, or `nil` if there is none.
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
        // Base64 makes the saved file larger than the fetched catalog.
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
            .invalidInput, "The saved catalog “\(visible(path))” can't be read.",
            recovery: "Delete that file and add the catalog again.")
    }
}
#endif

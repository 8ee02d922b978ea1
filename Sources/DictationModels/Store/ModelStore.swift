public import DictationCore
import DictationFiles

/// The folders that models are installed in: the user's own, and read-only ones that all users share.
///
/// Engines use it to find a model by locale; nothing here needs a network or a C library.
public struct ModelStore: Sendable, Hashable {
    /// The user's folder.
    public var folder: String
    /// Folders that all users share, the first choice first.
    public var sharedFolders: [String]

    /// Makes a store from its folders.
    public init(folder: String, sharedFolders: [String] = []) {
        self.folder = folder
        self.sharedFolders = sharedFolders
    }

    /// The folders of the XDG base directory specification: `~/.local/share/swift-dictation/models`, and the same
    /// below `/usr/local/share` and `/usr/share`. A user without a home has no folder of his own, and can install nothing.
    public static var standard: ModelStore { ModelStore(environment: UserFolders.environment) }

    init(environment: [String: String]) {
        let place = "/swift-dictation/models"
        self.init(
            folder: UserFolders.data(environment).map { $0 + place } ?? "",
            sharedFolders: UserFolders.sharedData(environment).map { $0 + place })
    }

    /// The models on this machine for an engine and a locale that show no damage: the user's, the system's, then those
    /// of packages.
    public func models(engine: EngineID, locale: SpeechLocale? = nil) -> [InstalledModel] {
        let matching = installed(catalogs: [.builtIn]).filter { model in
            model.asset.engine == engine && (locale.map { model.asset.locales.contains($0) } ?? true)
        }
        return matching.filter { !isDamaged($0) }
    }

    // MARK: What is where

    /// The hidden folders of the user's store.
    enum Place {
        case staging, locks, state, catalogs, trash

        var name: FileName {
            switch self {
            case .staging: FileName(fixed: ".staging")
            case .locks: FileName(fixed: ".locks")
            case .state: FileName(fixed: ".state")
            case .catalogs: FileName(fixed: ".catalogs")
            case .trash: FileName(fixed: ".trash")
            }
        }
    }

    /// The user's folder, made when it is lacking.
    func make() throws(DictationError) -> Folder {
        guard !folder.isEmpty else {
            throw DictationError(
                .fileUnreadable, "There is no folder to install models in.",
                recovery: "Set HOME or XDG_DATA_HOME to an absolute path.")
        }
        return try Folder.making(folder)
    }

    func make(_ place: Place) throws(DictationError) -> Folder { try make().makeFolder(place.name) }

    /// A hidden folder; `nil` when it isn't there.
    func existing(_ place: Place) throws(DictationError) -> Folder? {
        guard let open = try Folder.existing(folder) else { return nil }
        return try open.folder(place.name)
    }

    func pathOfModel(_ name: FileName) -> String { folder + "/" + name.text }
    func pathOfTree(_ name: FileName) -> String {
        [folder, Place.staging.name.text, name.text, ModelStore.tree.text].joined(separator: "/")
    }

    /// What is unpacked for a model, in its staging folder.
    static let tree = FileName(fixed: "tree")

    // MARK: What is installed

    /// Every model on this machine, damaged or not: the user's, the system's, then those of packages.
    func installed(catalogs: [ModelCatalog]) -> [InstalledModel] {
        var found: [InstalledModel] = []
        for (path, origin) in places {
            guard let folder = try? Folder.existing(path), let names = try? folder.names() else { continue }
            found += names.compactMap { name in FileName(model: name.text).flatMap { model($0, in: path, origin) } }
        }
        return found + packaged(catalogs.flatMap(\.models))
    }

    func installed(_ id: ModelAsset.ID, catalogs: [ModelCatalog]) -> [InstalledModel] {
        guard let name = FileName(model: id) else { return [] }
        return places.compactMap { path, origin in model(name, in: path, origin) }
            + packaged(catalogs.flatMap(\.models).filter { $0.id == id })
    }

    private var places: [(path: String, origin: InstalledModel.Origin)] {
        ([(folder, .user)] + sharedFolders.map { ($0, .system) }).filter { !$0.path.isEmpty }
    }

    private func packaged(_ models: [CatalogModel]) -> [InstalledModel] {
        models.compactMap { model in
            guard let path = model.packaged?.path, (try? Folder.existing(path)) != nil else { return nil }
            return InstalledModel(asset: model.asset, folder: path, origin: .package, receipt: nil)
        }
    }

    /// A model in a store's folder. Its own folder may be a link, as when a user has moved it to another disk.
    private func model(_ name: FileName, in path: String, _ origin: InstalledModel.Origin) -> InstalledModel? {
        let place = path + "/" + name.text
        guard let folder = try? Folder.existing(place), let receipt = ModelReceipt.read(in: folder),
            FileName(model: receipt.asset.id) == name
        else { return nil }
        return InstalledModel(asset: receipt.asset, folder: place, origin: origin, receipt: receipt)
    }

    /// Whether a model of the user is a link to somewhere else.
    func isLink(_ id: ModelAsset.ID) -> Bool {
        guard let name = FileName(model: id), let open = try? Folder.existing(folder) else { return false }
        return open.status(of: name)?.kind == .link
    }
}

extension CatalogModel {
    /// The model as an inventory shows it.
    var asset: ModelAsset {
        ModelAsset(
            id: id, engine: engine, locales: locales, name: name, license: license, byteCount: byteCount,
            isPinned: isPinned)
    }
}

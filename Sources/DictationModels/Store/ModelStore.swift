public import DictationCore
import DictationSystem

/// The folders of installed models: the user's own folder, and read-only folders that all users share.
///
/// Engines use a store to find a model by locale. A store needs no network and no C library.
public struct ModelStore: Sendable, Hashable {
    /// The user's folder. An empty path means that there is none.
    public var folder: String
    /// The folders that all users share, in order of preference.
    public var sharedFolders: [String]

    /// Creates a store from its folders.
    public init(folder: String, sharedFolders: [String] = []) {
        self.folder = folder
        self.sharedFolders = sharedFolders
    }

    /// The store in the folders of the XDG base directory specification: `~/.local/share/swift-dictation/models`, and
    /// `swift-dictation/models` in `/usr/local/share` and `/usr/share`. A user without a home folder has no own folder
    /// and cannot install models.
    public static var standard: ModelStore { ModelStore(environment: UserFolders.environment) }

    package init(environment: [String: String]) {
        let place = "/swift-dictation/models"
        self.init(
            folder: UserFolders.data(environment).map { $0 + place } ?? "",
            sharedFolders: UserFolders.sharedData(environment).map { $0 + place })
    }

    /// Returns the installed models for an engine and a locale: the user's, then shared ones, then those of system
    /// packages. Leaves out models that are known to be damaged.
    ///
    /// - Parameters:
    ///   - engine: The engine that uses the models.
    ///   - locale: The locale that the models must support; `nil` for any.
    public func models(engine: EngineID, locale: SpeechLocale? = nil) -> [InstalledModel] {
        usable(.model, of: engine).filter { model in locale.map { model.asset.locales.contains($0) } ?? true }
    }

    /// Returns the installed library of an engine, or `nil` if there is none, or if it is known to be damaged. The
    /// user's library comes before a shared one.
    public func library(engine: EngineID) -> InstalledModel? { usable(.library, of: engine).first }

    /// Returns the installed detectors of an engine, or `nil` if there are none, or if they are known to be damaged.
    package func detectors(engine: EngineID) -> InstalledModel? { usable(.detectors, of: engine).first }

    /// Returns the folders of an engine's libraries that are known to be damaged.
    package func damagedLibraries(of engine: EngineID) -> [String] { damaged(.library, of: engine).map(\.folder) }

    /// Returns the models of an engine that are known to be damaged.
    package func damagedModels(of engine: EngineID) -> [InstalledModel] { damaged(.model, of: engine) }

    /// Returns the detectors of an engine that are known to be damaged.
    package func damagedDetectors(of engine: EngineID) -> [InstalledModel] { damaged(.detectors, of: engine) }

    private func damaged(_ kind: ModelAsset.Kind, of engine: EngineID) -> [InstalledModel] {
        installed(catalogs: []).filter { $0.asset.engine == engine && $0.asset.kind == kind && isDamaged($0) }
    }

    private func usable(_ kind: ModelAsset.Kind, of engine: EngineID) -> [InstalledModel] {
        installed(catalogs: [.builtIn]).filter {
            $0.asset.engine == engine && $0.asset.kind == kind && !isDamaged($0)
        }
    }

    // MARK: Folders

    /// A hidden folder in the user's folder.
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

    /// Returns the user's folder, into which models are installed.
    ///
    /// - Throws: `fileUnreadable` if the user has none.
    public func ownFolder() throws(DictationError) -> String {
        guard !folder.isEmpty else {
            throw DictationError(
                .fileUnreadable, "There is no folder in which to install models.",
                recovery: "Set HOME or XDG_DATA_HOME to an absolute path.")
        }
        return folder
    }

    /// Opens the user's folder, and creates it if it is missing.
    func make() throws(DictationError) -> Folder { try Folder.making(ownFolder()) }

    func make(_ place: Place) throws(DictationError) -> Folder { try make().makeFolder(place.name) }

    /// Opens a hidden folder. Returns `nil` if it does not exist.
    func existing(_ place: Place) throws(DictationError) -> Folder? {
        guard let open = try Folder.existing(folder) else { return nil }
        return try open.folder(place.name)
    }

    func pathOfModel(_ name: FileName) -> String { folder + "/" + name.text }
    func pathOfTree(_ name: FileName) -> String {
        [folder, Place.staging.name.text, name.text, ModelStore.tree.text].joined(separator: "/")
    }

    /// The folder for a model's unpacked files, in its staging folder.
    static let tree = FileName(fixed: "tree")

    // MARK: Installed models

    /// Returns every installed model, damaged or not: the user's, then shared ones, then those of system packages.
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

    /// Returns the model with a name in one of the store's folders. The model's folder may be a link, because users
    /// move models to other disks.
    private func model(_ name: FileName, in path: String, _ origin: InstalledModel.Origin) -> InstalledModel? {
        let place = path + "/" + name.text
        guard let folder = try? Folder.existing(place), let receipt = ModelReceipt.read(in: folder),
            FileName(model: receipt.asset.id) == name
        else { return nil }
        return InstalledModel(asset: receipt.asset, folder: place, origin: origin, receipt: receipt)
    }

    /// Returns whether a model in the user's folder is a link.
    func isLink(_ id: ModelAsset.ID) -> Bool {
        guard let name = FileName(model: id), let open = try? Folder.existing(folder) else { return false }
        return open.status(of: name)?.kind == .link
    }
}

extension CatalogModel {
    /// The model's description for an inventory.
    var asset: ModelAsset {
        ModelAsset(
            id: id, engine: engine, locales: locales, name: name, license: license,
            byteCount: byteCount ?? fileByteCount, isPinned: isPinned, kind: kind ?? .model)
    }

    /// The size of all files together; `nil` if any size is unknown.
    private var fileByteCount: Int64? {
        guard let files else { return nil }
        return .sum(files.map(\.byteCount))
    }
}

public import DictationCore
import Glibc

/// The folders that models are installed in: the user's own, and read-only ones that all users share.
///
/// Engines use it to find a model by locale; nothing here needs a network or a C library.
public struct ModelStore: Sendable, Hashable {
    /// The user's folder.
    public var path: String
    /// Folders that all users share, the first choice first.
    public var systemPaths: [String]

    /// Makes a store from its folders.
    public init(path: String, systemPaths: [String] = []) {
        self.path = path
        self.systemPaths = systemPaths
    }

    /// The folders of the XDG base directory specification: `~/.local/share/swift-dictation/models`, and the same
    /// below `/usr/local/share` and `/usr/share`.
    public static var standard: ModelStore { ModelStore(environment: Environment.all) }

    init(environment: [String: String]) {
        func value(_ name: String, or usual: String) -> String {
            environment[name].flatMap { $0.isEmpty ? nil : $0 } ?? usual
        }
        let own = value("XDG_DATA_HOME", or: value("HOME", or: "/var/empty") + "/.local/share")
        let shared = value("XDG_DATA_DIRS", or: "/usr/local/share:/usr/share")
        // The specification says that a path which is not absolute is to be ignored.
        let places = shared.split(separator: ":").map(String.init).filter { $0.hasPrefix("/") }
        self.init(
            path: (own.hasPrefix("/") ? own : "/var/empty") + Self.place,
            systemPaths: places.map { ($0.hasSuffix("/") ? String($0.dropLast()) : $0) + Self.place })
    }

    private static let place = "/swift-dictation/models"

    /// The models on this machine for an engine and a locale that show no damage: the user's, the system's, then those
    /// of packages.
    public func models(engine: String, locale: SpeechLocale? = nil) -> [InstalledModel] {
        let matching = installed(catalogs: [.builtIn]).filter { model in
            model.asset.engine == engine && (locale.map { model.asset.locales.contains($0) } ?? true)
        }
        return matching.filter { !isDamaged($0) }
    }

    /// Notes that a model is in use now; what was used last is evicted last.
    public func markUsed(_ model: InstalledModel) {
        let state = self.state(of: model.asset.id)
        guard (try? state.make()) != nil else { return }
        let file = open(state.file("used"), O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
        guard file >= 0 else { return }
        futimens(file, nil)
        close(file)
    }

    // MARK: What is where

    var folder: Folder { Folder(path) }
    func folder(of id: Asset.ID) -> Folder { folder(id) }
    func staging(of id: Asset.ID) -> Folder { folder(".staging")(id) }
    func state(of id: Asset.ID) -> Folder { folder(".state")(id) }
    var trash: Folder { folder(".trash") }
    func lockPath(of id: Asset.ID) -> String { folder(".locks").file(id) }

    /// Every model on this machine, damaged or not: the user's, the system's, then those of packages.
    func installed(catalogs: [ModelCatalog]) -> [InstalledModel] {
        var found = models(in: folder, origin: .user)
        for path in systemPaths { found += models(in: Folder(path), origin: .system) }
        for model in catalogs.flatMap(\.models) {
            guard let packaged = model.packaged, Folder(packaged.path).kind == S_IFDIR else { continue }
            found.append(InstalledModel(asset: model.asset, path: packaged.path, origin: .package, receipt: nil))
        }
        return found
    }

    func installed(_ id: Asset.ID, catalogs: [ModelCatalog]) -> [InstalledModel] {
        guard ModelPath.isName(id) else { return [] }
        var found: [InstalledModel] = []
        for (place, origin) in [(folder, InstalledModel.Origin.user)] + systemPaths.map({ (Folder($0), .system) }) {
            if let model = model(id, in: place, origin: origin) { found.append(model) }
        }
        for model in catalogs.flatMap(\.models) where model.id == id {
            guard let packaged = model.packaged, Folder(packaged.path).kind == S_IFDIR else { continue }
            found.append(InstalledModel(asset: model.asset, path: packaged.path, origin: .package, receipt: nil))
        }
        return found
    }

    private func models(in place: Folder, origin: InstalledModel.Origin) -> [InstalledModel] {
        place.names.compactMap { model($0, in: place, origin: origin) }
    }

    private func model(_ id: Asset.ID, in place: Folder, origin: InstalledModel.Origin) -> InstalledModel? {
        guard ModelPath.isName(id), let receipt = ModelReceipt.read(in: place(id)), receipt.asset.id == id
        else { return nil }
        return InstalledModel(asset: receipt.asset, path: place(id).path, origin: origin, receipt: receipt)
    }

    /// Whether a model was found damaged, or shows it at a look.
    func isDamaged(_ model: InstalledModel) -> Bool {
        if let receipt = model.receipt, damagedInstallations(of: model.asset.id).contains(receipt.installation) {
            return true
        }
        return model.visibleDamage != nil
    }

    // MARK: State

    func damagedInstallations(of id: Asset.ID) -> Set<String> {
        Set(state(of: id).names.filter { $0.hasPrefix("damaged-") }.map { String($0.dropFirst("damaged-".count)) })
    }

    /// A mark names the installation that it is for, so it says nothing about the next one.
    func markDamaged(_ model: InstalledModel) throws(DictationError) {
        guard let receipt = model.receipt else { return }
        try setFlag("damaged-" + receipt.installation, of: model.asset.id, to: true)
    }

    func isReserved(_ id: Asset.ID) -> Bool { state(of: id)("reserved").kind != nil }

    func setReserved(_ id: Asset.ID, _ isReserved: Bool) throws(DictationError) {
        try setFlag("reserved", of: id, to: isReserved)
    }

    var reserved: [Asset.ID] { folder(".state").names.filter(isReserved) }

    /// When a model was used last, in nanoseconds; 0 for never.
    func lastUse(of id: Asset.ID) -> Int64 {
        var status = stat()
        guard lstat(state(of: id).file("used"), &status) == 0 else { return 0 }
        return Int64(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_mtim.tv_nsec)
    }

    private func setFlag(_ name: String, of id: Asset.ID, to isSet: Bool) throws(DictationError) {
        let state = self.state(of: id)
        if isSet {
            try state.make()
            try SmallFile.write([], to: state.file(name))
        } else {
            try Folder.removeFile(state.file(name))
        }
    }
}

extension CatalogModel {
    /// The model as an inventory shows it.
    var asset: Asset {
        Asset(
            id: id, engine: engine, locales: locales, name: name, licence: licence, byteCount: byteCount,
            isPinned: isPinned)
    }
}

/// The process's environment.
private enum Environment {
    static var all: [String: String] {
        var values: [String: String] = [:]
        for name in ["XDG_DATA_HOME", "XDG_DATA_DIRS", "HOME"] {
            if let value = getenv(name) { values[name] = String(cString: value) }
        }
        return values
    }
}

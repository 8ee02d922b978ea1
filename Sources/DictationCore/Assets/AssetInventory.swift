/// Which models there are, which are installed, and how to get the others.
///
/// - **Choose** `CatalogAssetInventory` for models from a catalogue, `ScriptedAssetInventory` in tests.
/// - **Use** `status(of:)`, then `installation(of:)` and its progress.
/// - **Implement** it for another source of models; check it with `InventoryConformance` from DictationTesting.
///
/// What an inventory promises: what is half-installed is never seen as installed; a reserved asset is never evicted;
/// the part done of an installation never goes back, and a later try goes on where one ended; everything on what is
/// installed works without a network. `InventoryClause` in DictationTesting has these promises one by one.
public protocol AssetInventory: Sendable {
    /// Every asset that the inventory knows, installed or not.
    func assets() async throws(DictationError) -> [ModelAsset]
    /// How far an asset is.
    func status(of asset: ModelAsset.ID) async -> AssetStatus
    /// Keeps an asset from being evicted. Throws `modelNotInstalled` when the inventory doesn't know it.
    func reserve(_ asset: ModelAsset.ID) async throws(DictationError)
    /// Lets an asset be evicted again.
    func release(_ asset: ModelAsset.ID) async
    /// The assets that are reserved.
    func reserved() async -> [ModelAsset.ID]
    /// A request to install an asset, or `nil` when it is installed already. Throws `modelNotInstalled` when the
    /// inventory doesn't know it, and `modelUnpinned` when nothing says what its files must be.
    func installation(of asset: ModelAsset.ID) async throws(DictationError) -> (any AssetInstallation)?
    /// Checks an installed asset's files; damage is marked and thrown as `modelInvalid`.
    func verify(_ asset: ModelAsset.ID) async throws(DictationError)
    /// Removes an installed asset; removing one that isn't installed does nothing.
    func remove(_ asset: ModelAsset.ID) async throws(DictationError)
}

extension AssetInventory {
    /// The locales that an engine could have, installed or not.
    public func supportedLocales(engine: EngineID) async throws(DictationError) -> [SpeechLocale] {
        Self.locales(try await assets().filter { $0.engine == engine })
    }

    /// The locales that an engine has a model for.
    public func installedLocales(engine: EngineID) async throws(DictationError) -> [SpeechLocale] {
        var installed: [ModelAsset] = []
        for asset in try await assets() where asset.engine == engine {
            if await status(of: asset.id) == .installed { installed.append(asset) }
        }
        return Self.locales(installed)
    }

    /// How far an engine is for a locale: the furthest of its assets.
    public func status(engine: EngineID, locale: SpeechLocale) async throws(DictationError) -> AssetStatus {
        var best = AssetStatus.unsupported
        for asset in try await assets() where asset.engine == engine && asset.locales.contains(locale) {
            best = max(best, await status(of: asset.id))
        }
        return best
    }

    private static func locales(_ assets: [ModelAsset]) -> [SpeechLocale] {
        Set(assets.flatMap(\.locales)).sorted()
    }
}

/// A model that an engine can use.
public struct ModelAsset: Sendable, Hashable, Identifiable, Codable {
    /// The asset's stable name.
    public var id: String
    /// The engine that uses it.
    public var engine: EngineID
    /// The locales that it is for.
    public var locales: [SpeechLocale]
    /// What a person calls it.
    public var name: String
    /// Its license, such as `Apache-2.0`.
    public var license: String?
    /// Its size when installed, where that is known.
    public var byteCount: Int64?
    /// Whether it is known what its files must be; one that is not pinned installs only when the user says so.
    public var isPinned: Bool

    /// Makes an asset.
    public init(
        id: String, engine: EngineID, locales: [SpeechLocale], name: String, license: String? = nil,
        byteCount: Int64? = nil, isPinned: Bool = true
    ) {
        self.id = id
        self.engine = engine
        self.locales = locales
        self.name = name
        self.license = license
        self.byteCount = byteCount
        self.isPinned = isPinned
    }
}

/// How far an asset is, from not at all to ready.
public enum AssetStatus: Int, Sendable, Hashable, Comparable, Codable {
    /// The inventory doesn't know it.
    case unsupported
    /// It can be installed.
    case supported
    /// It was installed, and its files are not what they were.
    case damaged
    /// It is on its way.
    case downloading
    /// It was on its way and waits for another try.
    case stalled
    /// It can be used.
    case installed

    /// Orders from least to most usable.
    public static func < (a: AssetStatus, b: AssetStatus) -> Bool { a.rawValue < b.rawValue }
}

/// A request to install an asset.
public protocol AssetInstallation: Sendable {
    /// The asset.
    var asset: ModelAsset { get }
    /// How far it is; the newest value wins, and the sequence ends with the installation.
    var progress: InstallationProgressUpdates { get }
    /// Installs the asset, going on where an earlier try ended; returns when it can be used.
    func install() async throws(DictationError)
    /// Stops, and `install()` throws `cancelled`; what was downloaded is kept for the next try.
    func cancel() async
}

/// How far an installation is.
public struct InstallationProgress: Sendable, Hashable {
    /// Bytes done.
    public var completedBytes: Int64
    /// Bytes in all, where that is known.
    public var totalBytes: Int64?
    /// Bytes per second over the last moments.
    public var bytesPerSecond: Double?

    /// Makes a progress.
    public init(completedBytes: Int64, totalBytes: Int64? = nil, bytesPerSecond: Double? = nil) {
        self.completedBytes = completedBytes
        self.totalBytes = totalBytes
        self.bytesPerSecond = bytesPerSecond
    }

    /// The part done, 0 to 1, where the whole is known.
    public var fraction: Double? {
        guard let totalBytes, totalBytes > 0 else { return nil }
        return max(0, min(1, Double(completedBytes) / Double(totalBytes)))
    }

    /// The time left at the present rate.
    public var remaining: Duration? {
        guard let totalBytes, let bytesPerSecond, bytesPerSecond > 0 else { return nil }
        let seconds = max(0, Double(totalBytes) - Double(completedBytes)) / bytesPerSecond
        return seconds < 1e9 ? .seconds(seconds) : nil
    }
}

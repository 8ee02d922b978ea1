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
    /// Whether the files have known hashes. Installing an unpinned asset needs the user's consent.
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

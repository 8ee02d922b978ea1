/// A model that an engine can use.
public struct ModelAsset: Sendable, Hashable, Identifiable, Codable {
    /// The asset's stable name.
    public var id: String
    /// The engine that uses the asset.
    public var engine: EngineID
    /// The locales of the model.
    public var locales: [SpeechLocale]
    /// The name for people.
    public var name: String
    /// The license, such as `Apache-2.0`.
    public var license: String?
    /// The size when installed; `nil` if unknown.
    public var byteCount: Int64?
    /// Whether the files have known hashes. Installing an unpinned asset needs the user's consent.
    public var isPinned: Bool

    /// Creates an asset.
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

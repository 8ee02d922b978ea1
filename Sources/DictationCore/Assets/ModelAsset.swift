/// A model or a library that an engine can use.
public struct ModelAsset: Sendable, Hashable, Identifiable, Codable {
    /// The asset's stable name.
    public var id: String
    /// The engine that uses the asset.
    public var engine: EngineID
    /// The locales of the model; empty for a library.
    public var locales: [SpeechLocale]
    /// The name for people.
    public var name: String
    /// The license, such as `Apache-2.0`.
    public var license: String?
    /// The size when installed; `nil` if unknown.
    public var byteCount: Int64?
    /// Whether the files have known hashes. Installing an unpinned asset needs the user's consent.
    public var isPinned: Bool
    /// Whether the asset is a model or a library.
    public var kind: Kind

    /// The kinds of assets.
    @nonexhaustive public enum Kind: String, Sendable, Hashable, Codable {
        /// A model, which recognizes speech in its locales.
        case model
        /// A library, which an engine loads for all of its models. It is never evicted.
        case library
        /// Networks that an engine uses besides its models, in every language. They are never evicted.
        case detectors
    }

    /// Creates an asset.
    public init(
        id: String, engine: EngineID, locales: [SpeechLocale], name: String, license: String? = nil,
        byteCount: Int64? = nil, isPinned: Bool = true, kind: Kind = .model
    ) {
        self.id = id
        self.engine = engine
        self.locales = locales
        self.name = name
        self.license = license
        self.byteCount = byteCount
        self.isPinned = isPinned
        self.kind = kind
    }

    /// Decodes an asset. Without a kind, the asset is a model.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(String.self, forKey: .id)
        engine = try container.decode(EngineID.self, forKey: .engine)
        locales = try container.decode([SpeechLocale].self, forKey: .locales)
        name = try container.decode(String.self, forKey: .name)
        license = try container.decodeIfPresent(String.self, forKey: .license)
        byteCount = try container.decodeIfPresent(Int64.self, forKey: .byteCount)
        isPinned = try container.decode(Bool.self, forKey: .isPinned)
        kind = try container.decodeIfPresent(Kind.self, forKey: .kind) ?? .model
    }
}

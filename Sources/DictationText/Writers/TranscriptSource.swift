/// Where a transcript comes from.
public struct TranscriptSource: Sendable, Hashable {
    /// The recording or the microphone: a path, a name, or nothing.
    public var name: String
    /// The engine that recognized it.
    public var engine: String
    /// The model that the engine used; `nil` for an engine without models.
    public var model: String?

    /// Creates a source.
    public init(name: String = "", engine: String = "", model: String? = nil) {
        self.name = name
        self.engine = engine
        self.model = model
    }
}

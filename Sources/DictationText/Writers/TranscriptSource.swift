/// The source of a transcript.
public struct TranscriptSource: Sendable, Hashable {
    /// The path or name of the recording or microphone. May be empty.
    public var name: String
    /// The name of the engine.
    public var engine: String
    /// The name of the model; `nil` for an engine without models.
    public var model: String?

    /// Creates a source.
    public init(name: String = "", engine: String = "", model: String? = nil) {
        self.name = name
        self.engine = engine
        self.model = model
    }
}

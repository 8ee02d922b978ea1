public import DictationCore

/// The source of a transcript.
public struct TranscriptSource: Sendable, Hashable {
    /// The path or name of the recording or microphone. May be empty.
    public var name: String
    /// The name of the engine.
    public var engine: String
    /// The name of the model; `nil` for an engine without models.
    public var model: String?
    /// The language of the text; `nil` if it is unknown.
    public var locale: SpeechLocale?
    /// The recording for a page that plays it; `nil` for a page without audio.
    public var audio: HTMLWriter.Audio?
    /// The title of the transcript; `nil` for none.
    public var title: TranscriptDigest?
    /// The summary of the transcript; `nil` for none.
    public var summary: TranscriptDigest?

    /// Creates a source.
    public init(
        name: String = "", engine: String = "", model: String? = nil, locale: SpeechLocale? = nil,
        audio: HTMLWriter.Audio? = nil
    ) {
        self.name = name
        self.engine = engine
        self.model = model
        self.locale = locale
        self.audio = audio
    }
}

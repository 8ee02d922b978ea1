/// An event of a streamed transcription: a part of the text, or all of it at the end.
struct OpenAITranscriptEvent: Sendable, Hashable, Codable {
    var type: String
    /// A part of the text.
    var delta: String?
    /// All of the text. Some servers leave it empty.
    var text: String?
    var usage: OpenAIUsage?
    /// What the text lacks, as our server tells it; `nil` for a complete one.
    var loss: String?

    static let deltaType = "transcript.text.delta"
    static let doneType = "transcript.text.done"
    static let errorType = "error"
}

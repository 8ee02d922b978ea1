/// An event of a streamed transcription: a part of the text, or all of it at the end.
package struct OpenAITranscriptEvent: Sendable, Hashable, Codable {
    package var type: String
    /// A part of the text.
    package var delta: String?
    /// All of the text. Some servers leave it empty.
    package var text: String?
    package var usage: OpenAIUsage?
    /// What the text lacks, as our server tells it; `nil` for a complete one.
    package var loss: String?

    package init(
        type: String, delta: String? = nil, text: String? = nil, usage: OpenAIUsage? = nil, loss: String? = nil
    ) {
        (self.type, self.delta, self.text, self.usage, self.loss) = (type, delta, text, usage, loss)
    }

    package static let deltaType = "transcript.text.delta"
    package static let doneType = "transcript.text.done"
    package static let errorType = "error"
}

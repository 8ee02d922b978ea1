import DictationCore

/// What a page says below the text of a recording.
struct PageFooter: Sendable {
    let transcript: Transcript
    let source: TranscriptSource
    /// Whether a word is underlined.
    let hasDoubts: Bool

    var html: String {
        let items = [duration] + digests + [doubts].compactMap(\.self) + losses + [failure].compactMap(\.self)
        return "<ul class=\"about\">\n" + items.map { "<li>\($0)</li>\n" }.joined() + "</ul>\n"
    }

    private var duration: String {
        let model = source.model.map { ", \($0)" } ?? ""
        let engine = source.engine.isEmpty ? "" : ". Recognized by \((source.engine + model).visible.inHTML)"
        return "Duration \(transcript.duration.onClock)\(engine)."
    }

    /// Says how the title and the summary were made, and which recording they are about.
    private var digests: [String] {
        let all = [("title", source.title), ("summary", source.summary)].compactMap { name, digest in
            digest.map { "The \(name) is " + ($0.origin == .model ? "by a language model." : "taken from the text.") }
        }
        return all.isEmpty ? [] : ["The recording is “\(source.fileName.inHTML)”."] + all
    }

    private var doubts: String? {
        hasDoubts ? "<span class=\"low\">Underlined with dots</span>: the engine is not sure." : nil
    }

    private var losses: [String] { [transcript.loss].compactMap(\.self) }

    private var failure: String? { transcript.error.map { "The text ends early: \($0.message.inHTML)" } }
}

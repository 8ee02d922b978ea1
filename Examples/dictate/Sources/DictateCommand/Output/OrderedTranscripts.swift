import DictationCore
import DictationText

/// Writes the text of several recordings into one document, in the order of the recordings.
///
/// The recordings are transcribed at the same time. The text of the first unfinished recording appears at once, and the
/// results of later recordings wait.
struct OrderedTranscripts: Sendable {
    private struct Recording {
        var waiting: [SpeechResult] = []
        var transcript: Transcript?
    }

    private var writer: any TranscriptWriter
    private let sources: [TranscriptSource]
    private var recordings: [Recording]
    private var current = 0
    private var hasBegun = false
    private var isFinished = false

    init(sources: [TranscriptSource], writer: any TranscriptWriter) {
        self.sources = sources
        self.writer = writer
        recordings = sources.map { _ in Recording() }
    }

    /// Begins the document, once. Every other call begins it too.
    mutating func begin() -> String {
        guard !hasBegun else { return "" }
        hasBegun = true
        return sources.first.map { writer.begin($0) } ?? ""
    }

    mutating func add(_ result: SpeechResult, of index: Int) -> String {
        if index > current { recordings[index].waiting.append(result) }
        return begin() + (index == current ? writer.write(result) : "")
    }

    /// Ends a recording, and every later finished recording that waited for it.
    mutating func end(_ transcript: Transcript, of index: Int) -> String {
        guard index >= current else { return "" }
        recordings[index].transcript = transcript
        var text = begin()
        while current < sources.count, let transcript = recordings[current].transcript {
            text += writer.end(transcript)
            recordings[current] = Recording()
            current += 1
            guard current < sources.count else { break }
            text += writer.begin(sources[current])
            for result in recordings[current].waiting { text += writer.write(result) }
            recordings[current].waiting = []
        }
        return text
    }

    /// Ends the document, once.
    mutating func finish() -> String {
        guard !isFinished else { return "" }
        isFinished = true
        return begin() + writer.finish()
    }
}

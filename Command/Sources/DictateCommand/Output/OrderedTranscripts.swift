import DictationCore
import DictationText

/// Writes the text of several recordings into one document, in the order of the recordings.
///
/// The recordings are transcribed at the same time. The text of the first unfinished recording appears at once, and the
/// results of later recordings wait.
struct OrderedTranscripts: Sendable {
    private struct Recording {
        /// All lost audio that was told.
        var knownGaps: Set<AudioGap> = []
        var gaps: [AudioGap] = []
        var waiting: [SpeechResult] = []
        var transcript: Transcript?
    }

    private var writer: any TranscriptWriter
    private var sources: [TranscriptSource]
    private let beginsLate: Bool
    private var recordings: [Recording]
    private var current = 0
    private var hasBegun = false
    private var isFinished = false

    /// - Parameter beginsLate: Whether a recording begins only with its text, because its title is not known before.
    init(sources: [TranscriptSource], writer: any TranscriptWriter, beginsLate: Bool = false) {
        self.beginsLate = beginsLate
        self.sources = sources
        self.writer = writer
        recordings = sources.map { _ in Recording() }
    }

    /// Sets the title and the summary of a recording that has not begun.
    mutating func describe(_ index: Int, title: TranscriptDigest?, summary: TranscriptDigest?) {
        (sources[index].title, sources[index].summary) = (title, summary)
    }

    /// Begins the document, unless its recordings begin late.
    mutating func begin() -> String { beginsLate ? "" : beginCurrent() }

    /// Begins the current recording, once.
    private mutating func beginCurrent() -> String {
        guard !hasBegun, current < sources.count else { return "" }
        hasBegun = true
        return writer.begin(sources[current])
    }

    mutating func add(_ result: SpeechResult, of index: Int) -> String {
        if index > current { recordings[index].waiting.append(result) }
        return index == current ? beginCurrent() + writer.write(result) : begin()
    }

    /// Adds lost audio, before the results that come after it. Audio that was told already is not written again.
    mutating func add(_ gap: AudioGap, of index: Int) -> String {
        guard index >= current, recordings[index].knownGaps.insert(gap).inserted else { return begin() }
        if index > current { recordings[index].gaps.append(gap) }
        return index == current ? beginCurrent() + writer.write(gap) : begin()
    }

    /// Ends a recording, and every later finished recording that waited for it.
    mutating func end(_ transcript: Transcript, of index: Int) -> String {
        guard index >= current else { return "" }
        recordings[index].transcript = transcript
        var text = ""
        while current < sources.count, let transcript = recordings[current].transcript {
            text += writeWaiting() + writer.end(transcript)
            recordings[current] = Recording()
            (current, hasBegun) = (current + 1, false)
        }
        guard !beginsLate, current < sources.count else { return text }
        return text + writeWaiting()
    }

    /// Begins the current recording and adds what waited for it.
    private mutating func writeWaiting() -> String {
        var text = beginCurrent()
        for gap in recordings[current].gaps { text += writer.write(gap) }
        for result in recordings[current].waiting { text += writer.write(result) }
        (recordings[current].gaps, recordings[current].waiting) = ([], [])
        return text
    }

    /// Ends the document, once.
    mutating func finish() -> String {
        guard !isFinished else { return "" }
        isFinished = true
        return beginCurrent() + writer.finish()
    }
}

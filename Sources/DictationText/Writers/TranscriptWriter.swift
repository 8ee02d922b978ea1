public import DictationCore

/// Turns final results into a document, as they come.
///
///     var writer = SRTWriter()
///     var output = ""
///     for segment in transcript.segments { output += writer.write(segment) }
///     output += writer.finish(transcript)
///
/// Each call returns the text to append to the document; concatenate all of it in order. A document can hold several
/// recordings: call `begin(_:)` before and `end(_:)` after each, and `finish()` once at the end.
///
/// Choose: ``TextWriter`` to read, ``SRTWriter`` or ``VTTWriter`` for a video player, ``JSONWriter`` for a program.
///
/// Use: call ``write(_:)`` with each result and ``finish(_:)`` with the transcript, or ``document(_:from:)`` when the
/// transcript is complete already.
///
/// Implement: return text as soon as no later result can change it. Start the document at the first call, whichever it
/// is, and let ``end(_:)`` write the segments of the transcript that ``write(_:)`` was not called with.
///
/// Test: however results reach a writer, one by one or all with the transcript, the document is the same.
public protocol TranscriptWriter: Sendable {
    /// Starts a recording, and the document at the first. Optional for a document of one recording without a name.
    mutating func begin(_ source: TranscriptSource) -> String

    /// Adds a result to the current recording. Volatile results and results without text add nothing.
    mutating func write(_ result: SpeechResult) -> String

    /// Ends the current recording and adds the segments of its transcript that are not written yet.
    mutating func end(_ transcript: Transcript) -> String

    /// Ends the document.
    mutating func finish() -> String
}

extension TranscriptWriter {
    /// Ends the current recording and the document.
    public mutating func finish(_ transcript: Transcript) -> String { end(transcript) + finish() }

    /// Returns a whole document that holds one transcript; the writer itself does not change.
    ///
    ///     let captions = VTTWriter().document(transcript)
    public func document(_ transcript: Transcript, from source: TranscriptSource = TranscriptSource()) -> String {
        var writer = self
        return writer.begin(source) + writer.finish(transcript)
    }
}

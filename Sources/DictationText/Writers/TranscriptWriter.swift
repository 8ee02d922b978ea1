public import DictationCore

/// Turns final results into a document while they arrive.
///
///     var writer = SRTWriter()
///     var output = ""
///     for segment in transcript.segments { output += writer.write(segment) }
///     output += writer.finish(transcript)
///
/// Each call returns the text to append to the document; concatenate all of it in order. A document can hold several
/// recordings: call `begin(_:)` before and `end(_:)` after each, and `finish()` once at the end.
///
/// Choose: ``TextWriter`` to read, ``SRTWriter`` or ``VTTWriter`` for a video player, ``JSONWriter`` for a program,
/// ``HTMLWriter`` to read and listen.
///
/// Use: call ``write(_:)-(SpeechResult)`` with each result and ``finish(_:)`` with the transcript. For a complete
/// transcript, call ``document(_:from:)``.
///
/// Implement: return text as soon as no later result can change it. Start the document at the first call of any method.
/// Let ``end(_:)`` return the segments of the transcript that were not passed to ``write(_:)-(SpeechResult)``.
///
/// Test: the document is the same whether you pass results one by one or only the transcript.
public protocol TranscriptWriter: Sendable {
    /// Starts a recording, and at the first call also the document. Optional for a single recording without a name.
    ///
    /// - Parameter source: The recording and its engine.
    /// - Returns: The text to append to the document.
    mutating func begin(_ source: TranscriptSource) -> String

    /// Adds a result to the current recording. Ignores volatile results and results without text.
    ///
    /// - Returns: The text to append to the document.
    mutating func write(_ result: SpeechResult) -> String

    /// Adds lost audio to the current recording. Call it before you add a result that ends after the gap.
    ///
    /// Only captions need this, and only while results arrive: `end(_:)` also reads the gaps of the transcript.
    ///
    /// - Returns: The text to append to the document.
    mutating func write(_ gap: AudioGap) -> String

    /// Ends the current recording and adds the segments of its transcript that are not written yet.
    ///
    /// - Returns: The text to append to the document.
    mutating func end(_ transcript: Transcript) -> String

    /// Ends the document.
    ///
    /// - Returns: The text to append to the document.
    mutating func finish() -> String
}

extension TranscriptWriter {
    /// Returns no text, because most documents tell of lost audio at their end.
    public mutating func write(_ gap: AudioGap) -> String { "" }

    /// Ends the current recording and the document.
    ///
    /// - Returns: The text to append to the document.
    public mutating func finish(_ transcript: Transcript) -> String { end(transcript) + finish() }

    /// Returns a document with one transcript. Does not change the writer.
    ///
    ///     let captions = VTTWriter().document(transcript)
    ///
    /// - Parameters:
    ///   - transcript: The complete transcript.
    ///   - source: The recording and its engine.
    public func document(_ transcript: Transcript, from source: TranscriptSource = TranscriptSource()) -> String {
        var writer = self
        return writer.begin(source) + writer.finish(transcript)
    }
}

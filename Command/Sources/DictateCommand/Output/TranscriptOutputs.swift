import DictationCore
import DictationText

/// Writes the text of recordings in one or more formats.
final class TranscriptOutputs: Sendable {
    private let outputs: [TranscriptOutput]

    init(_ outputs: [TranscriptOutput]) { self.outputs = outputs }

    /// The first error of any format. The program stops its work then.
    var failure: OutputError? { outputs.lazy.compactMap(\.failure).first }

    /// Adds a result of a recording.
    func add(_ result: SpeechResult, of index: Int) { for output in outputs { output.add(result, of: index) } }

    /// Adds lost audio of a recording, before the results that come after it.
    func add(_ gap: AudioGap, of index: Int) { for output in outputs { output.add(gap, of: index) } }

    /// Sets the title and the summary of a recording, before its text.
    func describe(_ index: Int, title: TranscriptDigest?, summary: TranscriptDigest?) {
        for output in outputs { output.describe(index, title: title, summary: summary) }
    }

    /// Ends the text of a recording.
    func end(_ transcript: Transcript, of index: Int, isInterrupted: Bool = false) {
        for output in outputs { output.end(transcript, of: index, isInterrupted: isInterrupted) }
    }

    /// Ends all documents. Throws the first error, after the other formats are complete.
    func close() throws(OutputError) {
        var failure: OutputError?
        for output in outputs { do throws(OutputError) { try output.close() } catch { failure = failure ?? error } }
        if let failure { throw failure }
    }
}

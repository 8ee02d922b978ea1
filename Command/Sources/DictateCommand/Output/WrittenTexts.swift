import DictationCore
import DictationText
import Synchronization

/// Turns the recognized text of recordings into written text, on its way to the output.
final class WrittenTexts: Sendable {
    private struct Recording {
        var processing: TextProcessorChain
        var written: [SpeechResult] = []
        /// The number of results that were added.
        var count = 0

        mutating func add(_ result: SpeechResult) -> [SpeechResult] {
            count += 1
            let results = processing.add(result)
            written += results
            return results
        }

        mutating func finish(_ transcript: Transcript) -> Transcript {
            for segment in transcript.segments.dropFirst(count) { _ = add(segment) }
            var transcript = transcript
            transcript.segments = written + processing.finish()
            return transcript
        }
    }

    private let request: TextRequest
    private let output: TranscriptOutputs
    private let recordings: Mutex<[Recording]>
    private let say: @Sendable (String) -> Void
    private let failure = Mutex(false)

    /// Whether a program or a language model failed, so that a text or its title is not what the user asked for.
    var hasFailed: Bool { failure.withLock { $0 } }

    /// Creates the texts. `say` shows a line to the user.
    init(
        _ request: TextRequest, of count: Int, in locale: SpeechLocale, to output: TranscriptOutputs,
        say: @escaping @Sendable (String) -> Void
    ) {
        self.request = request
        self.output = output
        self.say = say
        let recording = Recording(processing: TextProcessorChain(request.processors, locale: locale))
        recordings = Mutex(Array(repeating: recording, count: count))
    }

    /// Adds a final result of a recording.
    func add(_ result: SpeechResult, of index: Int) {
        guard !request.processors.isEmpty else { return request.isLate ? () : output.add(result, of: index) }
        // A transcript has only the results with text.
        guard result.text.contains(where: { !$0.isWhitespace }) else { return }
        // Inside the lock, so that no other result comes between the results.
        recordings.withLock { recordings in
            for written in recordings[index].add(result) where !request.isLate { output.add(written, of: index) }
        }
    }

    /// Adds lost audio of a recording, before the results that come after it.
    func add(_ gap: AudioGap, of index: Int) { if !request.isLate { output.add(gap, of: index) } }

    /// Returns the text that is not written yet, with the volatile results at its end.
    func preview(_ tail: [SpeechResult], of index: Int) -> [SpeechResult] {
        request.isLate || request.processors.isEmpty ? tail : recordings.withLock { $0[index].processing.preview(tail) }
    }

    /// Ends the text of a recording.
    func end(_ transcript: Transcript, of index: Int, isInterrupted: Bool) async {
        var written =
            request.processors.isEmpty ? transcript : recordings.withLock { $0[index].finish(transcript) }
        if request.isLate, !isInterrupted, !written.isEmpty {
            if let rewriter = request.rewriter {
                let rewriting = await written.rewritten(by: rewriter)
                say("The text before it was rewritten:\n" + TextWriter(showsLoss: false).document(rewriting.original))
                if let error = rewriting.error { report("The text stays as it was.", error) }
                written = rewriting.written
            }
            let title = request.withTitle ? distinct(await title(of: written), "title", from: written) : nil
            let summary = request.withSummary ? distinct(await summary(of: written), "summary", from: written) : nil
            output.describe(index, title: title, summary: summary)
        }
        output.end(written, of: index, isInterrupted: isInterrupted)
    }

    /// Returns a title or a summary, unless it would repeat the whole text.
    private func distinct(_ digest: TranscriptDigest, _ name: String, from transcript: Transcript) -> TranscriptDigest?
    {
        guard digest.repeats(transcript) else { return digest }
        say("dictate: The text is so short that its \(name) would repeat it, so it has none.")
        return nil
    }

    private func report(_ consequence: String, _ error: DictationError) {
        failure.withLock { $0 = true }
        say("dictate: \(consequence) \(error.description)")
    }

    private func title(of transcript: Transcript) async -> TranscriptDigest {
        if let model = request.model {
            do throws(DictationError) { return try await transcript.title(by: model) } catch {
                report("The title is a sentence of the text.", error)
            }
        }
        return transcript.title()
    }

    private func summary(of transcript: Transcript) async -> TranscriptDigest {
        if let model = request.model {
            do throws(DictationError) { return try await transcript.summary(by: model) } catch {
                report("The summary is made of sentences of the text.", error)
            }
        }
        return transcript.summary()
    }
}

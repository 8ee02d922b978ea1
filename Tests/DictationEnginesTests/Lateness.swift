import DictationCore
import Synchronization
import Testing

/// How late the text of some speech was, in seconds.
struct Lateness {
    /// From the beginning of the first word until there was some text.
    var first: Double?
    /// From the end of the speech until the last of its text.
    var last: Double
}

extension SpeechEngine {
    /// Gives a session speech and what follows it: at the pace at which it is spoken, or as fast as it is taken. Then it
    /// is the processor's time that `last` counts, from when the last of the speech was handed out.
    func lateness(
        of speech: [AudioBuffer], then rest: [AudioBuffer] = [], isPaced: Bool,
        _ options: RecognitionOptions = .liveDictation()
    ) async throws -> Lateness {
        let runtime = DictationRuntime.system
        var options = options
        options.wordTimes = true
        let session = try await makeSession(options)
        let processor = Mutex(0.0)
        let end = try #require(speech.last).end
        let start = runtime.now()
        try session.start(
            AudioInput {
                var left = (speech + rest)[...]
                return { () throws(DictationError) in
                    guard let buffer = left.popFirst() else { return nil }
                    if isPaced { try? await runtime.sleep(max(.zero, start + buffer.end - runtime.now())) }
                    if buffer.start <= end { processor.withLock { $0 = processorSeconds() } }
                    return buffer
                }
            })
        var first: Double?
        var last: Double?
        for try await update in session.results {
            guard let result = update.result else { continue }
            let now = runtime.now() - start
            first = first ?? result.words.first?.range.map { (now - $0.lowerBound) / .seconds(1) }
            guard update.finalResult != nil else { continue }
            last = isPaced ? (now - end) / .seconds(1) : processorSeconds() - processor.withLock { $0 }
        }
        return Lateness(first: first, last: try #require(last))
    }
}

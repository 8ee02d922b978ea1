#if Remote
import DictationCore
import DictationMessages
import FoundationEssentials

/// The messages of the Vosk server.
///
/// It gets its settings once, then 16-bit samples. It answers each message of samples with one text: the words so far, or
/// the words of an utterance that has ended. So the number of answers tells how much of the audio it has heard.
struct VoskServerDialect: WebSocketDialect {
    private let options: RecognitionOptions
    private let format: AudioFormat
    private let server: String
    private var clock: StretchClock
    /// The ends of the messages of samples that are not answered yet.
    private var unanswered: [Duration] = []
    private var isEnding = false
    /// The time through which the server has made all text final.
    private var settled: Duration?

    init(_ options: RecognitionOptions, format: AudioFormat, of server: String) {
        self.options = options
        self.format = format
        self.server = server
        clock = StretchClock(format)
    }

    let isReadyAtOnce = true

    func open() -> [WebSocketMessage] {
        [.text("{\"config\":{\"sample_rate\":\(format.sampleRate),\"words\":true}}")]
    }

    mutating func send(_ audio: AudioBuffer) -> [WebSocketMessage] {
        clock.feed(audio)
        unanswered.append(audio.end)
        return [.binary(audio.int16Bytes)]
    }

    mutating func finalize() -> [WebSocketMessage] {
        isEnding = true
        // The server compares the bytes.
        return [.text("{\"eof\" : 1}")]
    }

    mutating func receive(_ message: WebSocketMessage) throws(RemoteFailure) -> [RemoteEvent] {
        guard case .text(let text) = message,
            let answer = try? JSONDecoder().decode(Answer.self, from: Data(text.utf8)), answer.isAnswer
        else { throw .nonsense(server, "something that is no result of Vosk") }
        if unanswered.isEmpty {
            guard isEnding else { throw .nonsense(server, "more results than it got audio") }
            return updates(of: answer, through: clock.end).map { .update($0) } + [.finished(canGoOn: false)]
        }
        let end = unanswered.removeFirst()
        return updates(of: answer, through: end).map { .update($0) }
    }

    /// A result of the server.
    private struct Answer: Decodable {
        var partial: String?
        var text: String?
        var result: [Word]?

        struct Word: Decodable {
            var word: String
            var start: Double
            var end: Double
            var conf: Double?
        }

        var isAnswer: Bool { partial != nil || text != nil }
    }

    private mutating func updates(of answer: Answer, through end: Duration) -> [SpeechUpdate] {
        let start = settled ?? clock.start ?? .zero
        guard let text = answer.text else {
            let partial = SpeechResult(range: start..<max(start, end), text: answer.partial ?? "")
            return [.volatile(partial)]
        }
        settled = end
        guard text.contains(where: { !$0.isWhitespace }) else { return [.finalized(through: end)] }
        let words = (answer.result ?? []).map { word in
            let start = min(clock.time(ofSecond: word.start), end)
            return SpeechResult.Word(
                word.word, range: start..<max(start, min(clock.time(ofSecond: word.end), end)),
                confidence: word.conf.flatMap { $0.isFinite ? max(0, min(1, $0)) : nil })
        }
        let lower = max(start, words.first?.range?.lowerBound ?? start)
        let result = SpeechResult(
            range: lower..<max(lower, words.last?.range?.upperBound ?? end), text: text,
            words: options.wordTimes || options.wordConfidence ? words.map(asked) : [])
        return [.final(result.tidied), .finalized(through: end)]
    }

    private func asked(_ word: SpeechResult.Word) -> SpeechResult.Word {
        SpeechResult.Word(
            word.text, range: options.wordTimes ? word.range : nil,
            confidence: options.wordConfidence ? word.confidence : nil)
    }
}
#endif

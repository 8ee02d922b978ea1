#if Remote
import DictationCore
import DictationEngines
import DictationMessages
import FoundationEssentials

/// The messages of sherpa-onnx's streaming server.
///
/// It gets floating-point samples, and `Done` at the end of a stretch. It answers with its text so far, in JSON, and with
/// `Done!` at the end. That may come before the last text, which says `is_eof`.
struct SherpaServerDialect: WebSocketDialect {
    /// The settings of a session.
    struct Request: Sendable {
        var format: AudioFormat
        var casing: Casing
        var wordTimes: Bool
    }

    private let request: Request
    private let server: String
    private var clock: StretchClock
    /// The time through which the server has made text of the stretch final.
    private var settled: Duration?
    private var isDone = false
    private var isComplete = false

    init(_ request: Request, of server: String) {
        self.request = request
        self.server = server
        clock = StretchClock(request.format)
    }

    let isReadyAtOnce = true

    func open() -> [WebSocketMessage] { [] }

    mutating func send(_ audio: AudioBuffer) -> [WebSocketMessage] {
        clock.feed(audio)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(audio.frameCount * 4)
        audio.forEachSample { sample in Swift.withUnsafeBytes(of: sample.bitPattern.littleEndian) { bytes += $0 } }
        return [.binary(bytes)]
    }

    func finalize() -> [WebSocketMessage] { [.text("Done")] }

    mutating func receive(_ message: WebSocketMessage) throws(RemoteFailure) -> [RemoteEvent] {
        guard case .text(let text) = message else { throw .nonsense(server, "bytes instead of text") }
        var events: [RemoteEvent] = []
        if text == "Done!" {
            isDone = true
        } else {
            guard let answer = try? JSONDecoder().decode(Answer.self, from: Data(text.utf8)) else {
                throw .nonsense(server, "text that is no result of sherpa-onnx")
            }
            isComplete = isComplete || answer.isEnd
            for update in updates(of: answer) { events.append(.update(update)) }
        }
        if isDone, isComplete {
            (isDone, isComplete) = (false, false)
            (clock, settled) = (StretchClock(request.format), nil)
            events.append(.finished(canGoOn: true))
        }
        return events
    }

    /// A result of the server.
    private struct Answer: Decodable {
        var text: String
        var tokens: [String]?
        var timestamps: [Double]?
        var startTime: Double?
        var isFinal: Bool?
        var isEof: Bool?

        enum CodingKeys: String, CodingKey {
            case text, tokens, timestamps
            case startTime = "start_time"
            case isFinal = "is_final"
            case isEof = "is_eof"
        }

        var isEnd: Bool { isEof == true }
    }

    private mutating func updates(of answer: Answer) -> [SpeechUpdate] {
        let start = answer.startTime ?? 0
        let times = answer.timestamps ?? []
        let tokens = (answer.tokens ?? []).enumerated().map { index, text in
            Token(text: text, time: start + (index < times.count ? times[index] : 0))
        }
        var words = tokens.folded()
        if words.isEmpty, answer.text.contains(where: { !$0.isWhitespace }) {
            // A server without tokens.
            words = [FoldedWord(text: answer.text, start: start, end: clock.seconds, lastToken: clock.seconds)]
        }
        if !answer.text.contains(where: \.isLowercase) { words = request.casing.apply(to: words) }
        let isFinal = answer.isFinal == true || answer.isEnd
        guard let first = words.first, let last = words.last else {
            // The server has begun with other audio. All before it is final.
            return start > 0 && start <= clock.seconds ? [.finalized(through: clock.time(ofSecond: start))] : []
        }
        let lower = clock.time(ofSecond: first.start)
        var range = lower..<max(lower, clock.time(ofSecond: last.end))
        if range.isEmpty {
            // Times that can't be true must not cost the text.
            let start = settled ?? clock.start ?? .zero
            range = start..<max(start, clock.end)
        }
        if isFinal { settled = range.upperBound }
        let result = SpeechResult(
            range: range, text: words.text,
            words: request.wordTimes
                ? words.map { word in
                    let start = clock.time(ofSecond: word.start)
                    return SpeechResult.Word(
                        word.text, range: start..<max(start, clock.time(ofSecond: word.end)))
                } : [])
        return [isFinal ? .final(result.tidied) : .volatile(result.tidied)]
    }
}
#endif

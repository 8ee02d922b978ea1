#if Remote
import DictationCore
import DictationMessages
import DictationSystem
import FoundationEssentials

/// Reads the answers of servers with the OpenAI interface.
enum OpenAIAnswer {
    /// The name that speaches has for the task of recognizing speech.
    private static let speechTask = "automatic-speech-recognition"

    /// Returns what an answer as JSON says.
    static func piece(in body: [UInt8], from server: String) throws(RemoteFailure) -> PieceAnswer {
        guard let transcript = try? JSONDecoder().decode(OpenAITranscript.self, from: Data(body)) else {
            if let error = message(in: body) { throw .lost(server, "the server failed: \(error.shortened)") }
            throw .nonsense(server, "something that is no transcript")
        }
        // What Whisper writes for noise.
        guard transcript.text.trimmingSpaces != "[BLANK_AUDIO]" else { return PieceAnswer(text: "") }
        let words = transcript.wholeWords.map { word in
            let start = time(word.start)
            return SpeechResult.Word(
                word.word.trimmingSpaces, range: start..<max(start, time(word.end)))
        }
        return PieceAnswer(text: transcript.text, words: words, isComplete: transcript.loss == nil)
    }

    /// Returns the models in a list; none if it is no list. A model that says that it does something else is left out.
    static func models(in body: [UInt8]) -> [RemoteModel] {
        struct List: Decodable {
            struct Model: Decodable {
                var id: String
                var task: String?
            }
            var data: [Model]
        }
        let list = try? JSONDecoder().decode(List.self, from: Data(body))
        return list?.data.filter { $0.task ?? speechTask == speechTask }.map { RemoteModel(name: $0.id) } ?? []
    }

    /// Returns the error in an answer; `nil` if it says none.
    static func message(in body: [UInt8]) -> String? {
        let data = Data(body.prefix(64 << 10))
        let decoder = JSONDecoder()
        let message =
            (try? decoder.decode(OpenAIFailure.self, from: data))?.error.message
            ?? (try? decoder.decode(FastAPIFailure.self, from: data))?.message
            // Some servers write the error's members without `error` around them.
            ?? (try? decoder.decode(OpenAIError.self, from: data))?.message
        return message?.isEmpty == true ? nil : message
    }

    /// Returns what an answer without success says, also one that is no JSON; empty if it says nothing.
    static func explanation(in answer: WebAnswer) -> String {
        if let message = message(in: answer.body) { return message }
        guard answer.headers["content-type"]?.hasPrefix("text/plain") == true else { return "" }
        return String(decoding: answer.body.prefix(1_000), as: UTF8.self).trimmingSpaces
    }

    private static func time(_ seconds: Double) -> Duration {
        // Some versions of LocalAI write nanoseconds. No piece is as long as a day.
        let seconds = seconds > 86_400 ? seconds / 1e9 : seconds
        return .seconds(seconds.isFinite ? max(0, min(seconds, 3_600)) : 0)
    }
}

/// Reads an answer that is streamed as events.
struct OpenAIEventReader {
    private let server: String
    private var lines = LineBuffer(limit: 1 << 20)
    /// The data of an event whose JSON goes on in the next line.
    private var pending: [UInt8] = []
    private var isAtStart = true
    /// The text so far.
    private(set) var text = ""
    private(set) var isDone = false
    /// Whether the server recognized all of the audio, as far as it tells.
    private(set) var isComplete = true

    init(from server: String) { self.server = server }

    /// Takes bytes. Returns whether the text has changed.
    mutating func receive(_ bytes: UnsafeRawBufferPointer) throws(RemoteFailure) -> Bool {
        lines.append(bytes)
        var hasChanged = false
        while true {
            switch lines.next() {
            case .line(let line): hasChanged = try take(line) || hasChanged
            case .incomplete: return hasChanged
            case .tooLong: throw .nonsense(server, "an endless line")
            }
        }
    }

    /// Takes the end of the answer, whose last line may lack its end.
    mutating func finish() throws(RemoteFailure) {
        if case .line(let line)? = lines.takeRest() { _ = try take(line) }
        guard pending.isEmpty else { throw nonsense }
        guard isDone else { throw .lost(server, "the answer broke off") }
    }

    private var nonsense: RemoteFailure { .nonsense(server, "an event that is no part of a transcript") }

    /// Takes what came before the end of a line. The end may have been any of `\n`, `\r\n` and `\r`.
    private mutating func take(_ line: [UInt8]) throws(RemoteFailure) -> Bool {
        var line = line[...]
        if isAtStart, line.starts(with: [0xEF, 0xBB, 0xBF]) { line = line.dropFirst(3) }
        isAtStart = false
        if line.last == 13 { line = line.dropLast() }
        var hasChanged = false
        for part in line.split(separator: 13, omittingEmptySubsequences: false) {
            hasChanged = try takeLine(part) || hasChanged
        }
        return hasChanged
    }

    private mutating func takeLine(_ line: ArraySlice<UInt8>) throws(RemoteFailure) -> Bool {
        guard !line.isEmpty || pending.isEmpty else { throw nonsense }
        let prefix = Array("data:".utf8)
        guard line.starts(with: prefix) else { return false }
        let json = pending + line.dropFirst(prefix.count).drop { $0 == UInt8(ascii: " ") }
        pending = []
        if json.starts(with: Array("[DONE]".utf8)) {
            isDone = true
            return false
        }
        let data = Data(json)
        let decoder = JSONDecoder()
        if let event = try? decoder.decode(OpenAITranscriptEvent.self, from: data) {
            switch event.type {
            case OpenAITranscriptEvent.errorType:
                throw .lost(server, "the server failed: \((OpenAIAnswer.message(in: json) ?? "").shortened)")
            case OpenAITranscriptEvent.deltaType: try add(event.delta)
            case OpenAITranscriptEvent.doneType:
                (isDone, isComplete) = (true, event.loss == nil)
                // Some servers leave it empty.
                if let whole = event.text, !whole.isEmpty { text = whole }
            default: return false
            }
            return true
        }
        if let chunk = try? decoder.decode(Chunk.self, from: data) {
            // Each half minute of audio has an end of its own, so only `[DONE]` ends the stream.
            for choice in chunk.choices { try add(choice.delta?.content) }
            return !chunk.choices.isEmpty
        }
        if let error = OpenAIAnswer.message(in: json) {
            throw .lost(server, "the server failed: \(error.shortened)")
        }
        guard (try? decoder.decode(OtherJSON.self, from: data)) == nil, json.count < 1 << 20 else {
            throw nonsense
        }
        pending = json + [UInt8(ascii: "\n")]
        return false
    }

    private mutating func add(_ part: String?) throws(RemoteFailure) {
        text += part ?? ""
        guard text.utf8.count <= RemoteFailure.textLimit else { throw .nonsense(server, "an endless text") }
    }

    /// Any JSON.
    private struct OtherJSON: Decodable { init(from decoder: any Decoder) {} }

    /// A part of the text, as servers of chat models write it.
    private struct Chunk: Decodable {
        var choices: [Choice]

        struct Choice: Decodable {
            var delta: Delta?
        }

        struct Delta: Decodable {
            var content: String?
        }
    }
}

extension OpenAITranscript {
    /// The words: those of the answer, or those in its segments.
    fileprivate var wholeWords: [Word] {
        if let words, !words.isEmpty { return words }
        let pieces = (segments ?? []).flatMap { $0.words ?? [] }
        // whisper.cpp writes tokens. One that begins a word begins with a space.
        guard pieces.contains(where: { $0.word.first == " " }) else { return pieces }
        var whole: [Word] = []
        for piece in pieces {
            if let last = whole.last, piece.continuesWord {
                whole[whole.count - 1] = Word(
                    word: last.word + piece.word, start: last.start, end: max(last.end, piece.end))
            } else {
                whole.append(piece)
            }
        }
        return whole
    }
}

extension OpenAITranscript.Word {
    /// Whether a token continues the word before it. In scripts without spaces, each is a word.
    fileprivate var continuesWord: Bool {
        guard let first = word.unicodeScalars.first, !first.properties.isWhitespace else { return false }
        let spaceless: [ClosedRange<UInt32>] = [0xE00...0x109F, 0x1780...0x17FF, 0x2E80...0x10_FFFF]
        return word.first?.isPunctuation == true || !spaceless.contains { $0.contains(first.value) }
    }
}

extension String {
    fileprivate var trimmingSpaces: String { split(whereSeparator: \.isWhitespace).joined(separator: " ") }
}
#endif

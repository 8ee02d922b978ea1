#if Remote
import DictationCore
import DictationMessages
import DictationText

/// What an engine and a Wyoming server tell each other: the server describes itself, gets a stretch of audio, and
/// answers with its text. After that it may close the connection.
final class WyomingConversation: RemoteConversation {
    private let server: String
    private let language: String
    private let service: String?
    private var reader = WyomingReader()
    private var clock = StretchClock(.speech)
    private(set) var output: [UInt8]
    /// The text of the parts so far.
    private var parts = ""
    /// What the server said about itself.
    private(set) var info: WyomingInfo?

    /// - Parameters:
    ///   - server: The server's address, for messages.
    ///   - language: The language that is spoken, such as `en`.
    ///   - service: The name of the server's model; `nil` for its default.
    init(with server: String, language: String, service: String?) {
        self.server = server
        self.language = language
        self.service = service
        output = WyomingMessage(type: "describe").bytes
    }

    let isReadyAtOnce = false

    func sent(_ count: Int) { output.removeFirst(min(count, output.count)) }

    func send(_ audio: AudioBuffer) {
        let isFirst = clock.start == nil
        clock.feed(audio)
        if isFirst {
            var request: [String: JSONValue] = ["language": .text(language)]
            if let service { request["name"] = .text(service) }
            output += WyomingMessage(type: "transcribe", data: request).bytes
            output += WyomingMessage(type: "audio-start", data: Self.format).bytes
        }
        // Servers read a whole chunk at a time.
        for first in stride(from: 0, to: audio.frameCount, by: 8_000) {
            let piece = audio.slice(first..<first + 8_000)
            output += WyomingMessage(type: "audio-chunk", data: Self.format, payload: piece.int16Bytes).bytes
        }
    }

    private static let format: [String: JSONValue] = [
        "rate": .number(16_000), "width": .number(2), "channels": .number(1),
    ]

    func finalize() { output += WyomingMessage(type: "audio-stop").bytes }
    func ping() {}
    func close() {}

    func receive(_ bytes: UnsafeRawBufferPointer, into events: inout [RemoteEvent]) throws(RemoteFailure) {
        reader.append(bytes)
        while let message = try next() { events += try take(message) }
    }

    private func next() throws(RemoteFailure) -> WyomingMessage? {
        do throws(DictationError) { return try reader.next() } catch {
            throw .nonsense(server, "something else than the Wyoming protocol (\(error.message))")
        }
    }

    private func take(_ message: WyomingMessage) throws(RemoteFailure) -> [RemoteEvent] {
        let text = message.data["text"]?.text ?? ""
        switch message.type {
        case "info":
            guard info == nil else { return [] }
            let info = WyomingInfo(message.data)
            guard !info.models.isEmpty else {
                throw .refused(
                    server, "it offers no speech recognition", recovery: "Give the address of a server that does.")
            }
            self.info = info
            return [.opened]
        case "transcript-start":
            parts = ""
            return []
        case "transcript-chunk":
            parts += text
            guard parts.utf8.count <= RemoteFailure.textLimit else { throw .nonsense(server, "an endless text") }
            return update(parts).map { [.update(.volatile($0))] } ?? []
        case "transcript":
            guard var result = update(text) else { return [.finished(canGoOn: false)] }
            // Our server tells what a text lacks.
            result.isComplete = message.data["loss"] == nil
            return [.update(.final(result)), .finished(canGoOn: false)]
        case "error":
            let code = message.data["code"]?.text.map { " (\($0.shortened))" } ?? ""
            throw .lost(server, "the server failed: \(text.shortened)\(code)")
        default: return []
        }
    }

    private func update(_ text: String) -> SpeechResult? {
        guard let start = clock.start, text.contains(where: { !$0.isWhitespace }) else { return nil }
        return SpeechResult(range: start..<clock.end, text: text)
    }
}

/// What a Wyoming server says about its speech recognition.
struct WyomingInfo: Sendable, Hashable {
    var models: [RemoteModel] = []
    /// Whether the text of a take comes in parts.
    var isStreaming = false

    init(_ data: [String: JSONValue]) {
        for service in data["asr"].list.prefix(100) {
            guard let members = service.members else { continue }
            isStreaming = isStreaming || members["supports_transcript_streaming"] == .flag(true)
            for model in members["models"].list.prefix(1_000) {
                let languages = model["languages"].list.prefix(1_000).compactMap(\.text)
                models.append(RemoteModel(name: model["name"]?.text ?? "", languages: languages))
            }
        }
    }
}

extension JSONValue? {
    /// The items of a list; none for anything else.
    fileprivate var list: [JSONValue] { if case .list(let items)? = self { items } else { [] } }
}

extension AudioBuffer {
    /// The samples as 16-bit integers, the low byte first.
    var int16Bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(frameCount * 2)
        for sample in int16Samples { Swift.withUnsafeBytes(of: sample.littleEndian) { bytes += $0 } }
        return bytes
    }
}
#endif

#if Remote
import DictationCore
import DictationEngines
import DictationMessages
import DictationText
import FoundationEssentials

/// The messages of the OpenAI interface that streams audio.
///
/// The client ends each item at a pause with a commit, and knows which audio is in it. The server sends the text of an
/// item in parts, and then all of it. It may complete items in another order than they were spoken, unless it takes one
/// after the other.
struct OpenAIRealtimeDialect: WebSocketDialect {
    /// A stretch of audio that was committed.
    private struct Item {
        var range: Range<Duration>
        var id: String?
        var text = ""
        var isComplete = false
        /// Whether the server says that a part of the audio has no text.
        var hasLoss = false
    }

    /// A message for the server.
    private struct Outgoing {
        var message: WebSocketMessage
        /// Whether it ends an item.
        var endsItem = false
    }

    private let configuration: OpenAISettings
    private let options: RecognitionOptions
    private let realtime: OpenAIDialect.Realtime
    private let format: AudioFormat
    private let server: String
    private var clock: StretchClock
    private var cutter: PauseCutter
    /// The items whose text is not final yet, in the order of the audio.
    private var items: [Item] = []
    /// The beginning of the audio that is not committed yet.
    private var openStart: Duration?
    /// What the server has already said about that audio. Not every server waits for the commit.
    private var openText: (id: String, text: String)?
    /// The names of the last items that are final. What a server still says about them means nothing.
    private var ended: [String] = []
    private var isEnding = false
    /// The messages that the server does not take yet.
    private var held: [Outgoing] = []
    /// Whether the server recognizes an item, and takes nothing until that is complete.
    private var isBusy = false

    /// The schemes of addresses, and their ports.
    static let ports = ["http": 80, "https": 443, "ws": 80, "wss": 443]

    private static let mostEnded = 64

    init(
        _ configuration: OpenAISettings, _ options: RecognitionOptions,
        _ realtime: OpenAIDialect.Realtime = .init(), format: AudioFormat, of server: String
    ) {
        self.configuration = configuration
        self.options = options
        self.realtime = realtime
        self.format = format
        self.server = server
        clock = StretchClock(format)
        cutter = PauseCutter(configuration.endpointing)
    }

    let isReadyAtOnce = false

    /// Returns the address of the interface on a server whose address has no path of its own.
    func address(on address: RemoteAddress) -> RemoteAddress {
        guard ["/", "/v1", "/v1/"].contains(address.path) else { return address }
        var address = address
        address.path = "/v1/realtime"
        if realtime.form != .plain { address.path += "?intent=transcription" }
        if realtime.namesModelInAddress, let model = configuration.model {
            address.path += "&model=\(model.percentEncoded(keeping: "/:"))"
        }
        return address
    }

    func open() -> [WebSocketMessage] {
        let transcription = OpenAIRealtimeSession.Model(
            model: configuration.model, language: options.locale.language, prompt: configuration.prompt)
        var message = OpenAIRealtimeMessage(OpenAIRealtimeMessage.Request.update)
        switch realtime.form {
        case .nested:
            var session = OpenAIRealtimeSession()
            session.audio = .init(
                input: .init(
                    format: .init(type: "audio/pcm", rate: format.sampleRate), transcription: transcription,
                    turnDetection: .off))
            message.session = session
        case .flat:
            message.session = OpenAIRealtimeSession(type: nil, formerTranscription: transcription)
        case .plain:
            message.model = configuration.model
        }
        return [text(message)]
    }

    mutating func send(_ audio: AudioBuffer) -> [WebSocketMessage] {
        clock.feed(audio)
        if openStart == nil {
            openStart = audio.start
            if realtime.form == .plain {
                // The server begins to recognize with a commit as well.
                held.append(Outgoing(message: text(OpenAIRealtimeMessage(OpenAIRealtimeMessage.Request.commit))))
            }
        }
        var message = OpenAIRealtimeMessage(OpenAIRealtimeMessage.Request.append)
        message.audio = Data(audio.int16Bytes).base64EncodedString()
        held.append(Outgoing(message: text(message)))
        if endsUtterance(with: audio) { commit() }
        return release()
    }

    mutating func finalize() -> [WebSocketMessage] {
        isEnding = true
        commit()
        return release()
    }

    mutating func answers() -> [WebSocketMessage] { release() }

    /// Whether a pause that ends an utterance is over with this audio. The cutter takes 16 kHz.
    private mutating func endsUtterance(with audio: AudioBuffer) -> Bool {
        let samples = audio.floatSamples
        let count = Int(Double(samples.count) * 16_000 / Double(format.sampleRate))
        let coarse = (0..<count).map { samples[min(samples.count - 1, $0 * format.sampleRate / 16_000)] }
        return cutter.add(AudioBuffer(coarse, start: audio.start)).contains { $0.speech != nil }
    }

    private mutating func commit() {
        guard let start = openStart else { return }
        items.append(Item(range: start..<max(start, clock.end), id: openText?.id, text: openText?.text ?? ""))
        (openStart, openText) = (nil, nil)
        var message = OpenAIRealtimeMessage(OpenAIRealtimeMessage.Request.commit)
        if realtime.form == .plain { message.isLast = true }
        held.append(Outgoing(message: text(message), endsItem: true))
    }

    /// Returns the messages that the server takes now.
    private mutating func release() -> [WebSocketMessage] {
        guard !isBusy else { return [] }
        let end = realtime.isSerial ? held.firstIndex { $0.endsItem }.map { $0 + 1 } : nil
        isBusy = end != nil
        let messages = held.prefix(end ?? held.count).map(\.message)
        held.removeFirst(messages.count)
        return messages
    }

    private func text(_ message: OpenAIRealtimeMessage) -> WebSocketMessage {
        let data = (try? JSONEncoder().encode(message)) ?? Data()
        return .text(String(decoding: data, as: UTF8.self))
    }

    // MARK: Answers

    mutating func receive(_ message: WebSocketMessage) throws(RemoteFailure) -> [RemoteEvent] {
        struct Kind: Decodable { var type: String }
        guard case .text(let text) = message, let kind = try? JSONDecoder().decode(Kind.self, from: Data(text.utf8))
        else { throw .nonsense(server, "something that is no event of the realtime interface") }
        switch kind.type {
        case OpenAIRealtimeMessage.Event.created, OpenAIRealtimeMessage.Event.updated,
            "transcription_session.created", "transcription_session.updated":
            return [.opened]
        case OpenAIRealtimeMessage.Event.committed, OpenAIRealtimeMessage.Event.delta,
            OpenAIRealtimeMessage.Event.completed, OpenAIRealtimeMessage.Event.failed,
            OpenAIRealtimeMessage.Event.error, OpenAIRealtimeMessage.Event.plainDelta,
            OpenAIRealtimeMessage.Event.plainDone:
            guard let event = try? JSONDecoder().decode(OpenAIRealtimeMessage.self, from: Data(text.utf8)) else {
                throw .nonsense(server, "an event of the realtime interface with wrong members")
            }
            return try take(event)
        default: return []
        }
    }

    private mutating func take(_ event: OpenAIRealtimeMessage) throws(RemoteFailure) -> [RemoteEvent] {
        switch event.type {
        case OpenAIRealtimeMessage.Event.committed: return identify(event.itemID)
        case OpenAIRealtimeMessage.Event.delta, OpenAIRealtimeMessage.Event.plainDelta: return try grow(event)
        case OpenAIRealtimeMessage.Event.completed: return complete(event)
        case OpenAIRealtimeMessage.Event.plainDone:
            // The audio that follows would belong to no item.
            guard isBusy else { throw .lost(server, "the server ended an utterance before its end") }
            return complete(event)
        case OpenAIRealtimeMessage.Event.failed:
            throw .lost(server, "the server failed: \((event.error?.message ?? "").shortened)")
        default: return try take(event.error, code: event.error?.code ?? event.code)
        }
    }

    private func isOver(_ id: String?) -> Bool { id.map(ended.contains) ?? false }

    /// Gives the next item without a name its name.
    private mutating func identify(_ id: String?) -> [RemoteEvent] {
        guard let id, !isOver(id), index(of: id) == nil, let index = items.firstIndex(where: { $0.id == nil }) else {
            return []
        }
        items[index].id = id
        return []
    }

    private func index(of id: String?) -> Int? { id.flatMap { id in items.firstIndex { $0.id == id } } }

    /// Returns the place of an item, which may be named for the first time.
    private mutating func place(of id: String?) -> Int? {
        // A server that takes one item after the other may name it differently each time, or not at all.
        guard !realtime.isSerial else { return isBusy ? items.firstIndex { !$0.isComplete } : nil }
        _ = identify(id)
        return index(of: id) ?? (id == nil ? items.indices.first : nil)
    }

    private mutating func grow(_ event: OpenAIRealtimeMessage) throws(RemoteFailure) -> [RemoteEvent] {
        guard !isOver(event.itemID) else { return [] }
        guard let index = place(of: event.itemID) else { return try growOpen(event) }
        guard !items[index].isComplete else { return [] }
        items[index].text = try grown(items[index].text, by: event)
        return [.update(.volatile(SpeechResult(range: items[index].range, text: items[index].text)))]
    }

    /// Takes text about the audio that is not committed yet.
    private mutating func growOpen(_ event: OpenAIRealtimeMessage) throws(RemoteFailure) -> [RemoteEvent] {
        guard let start = openStart, clock.end > start,
            let id = event.itemID ?? (realtime.form == .plain ? "" : nil), openText?.id ?? id == id
        else { return [] }
        let text = try grown(openText?.text ?? "", by: event)
        openText = (id, text)
        return [.update(.volatile(SpeechResult(range: start..<clock.end, text: text)))]
    }

    private func grown(_ text: String, by event: OpenAIRealtimeMessage) throws(RemoteFailure) -> String {
        let text = text + (event.delta ?? "")
        guard text.utf8.count <= RemoteFailure.textLimit else { throw .nonsense(server, "an endless text") }
        return text
    }

    private mutating func complete(_ event: OpenAIRealtimeMessage) -> [RemoteEvent] {
        guard let index = place(of: event.itemID), !items[index].isComplete else { return [] }
        items[index].text = event.transcript ?? event.text ?? items[index].text
        items[index].hasLoss = event.loss != nil
        return complete(index)
    }

    private mutating func complete(_ index: Int) -> [RemoteEvent] {
        items[index].isComplete = true
        isBusy = false
        return settle()
    }

    /// Makes the items final that are complete, in the order of the audio.
    private mutating func settle() -> [RemoteEvent] {
        var events: [RemoteEvent] = []
        while let item = items.first, item.isComplete {
            items.removeFirst()
            if let id = item.id { ended = Array((ended + [id]).suffix(Self.mostEnded)) }
            let text = item.text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            if !text.isEmpty {
                let result = SpeechResult(range: item.range, text: text, isComplete: !item.hasLoss)
                events.append(.update(.final(result)))
            }
            events.append(.update(.finalized(through: item.range.upperBound)))
        }
        if isEnding, items.isEmpty {
            isEnding = false
            clock = StretchClock(format)
            cutter = PauseCutter(configuration.endpointing)
            events.append(.finished(canGoOn: true))
        }
        return events
    }

    private mutating func take(_ error: OpenAIError?, code: String?) throws(RemoteFailure) -> [RemoteEvent] {
        let message = error?.message ?? ""
        // Only the original has a code for it.
        if code == "input_audio_buffer_commit_empty" || message.hasPrefix("Error committing input audio buffer"),
            let index = items.firstIndex(where: { !$0.isComplete && (realtime.isSerial || $0.id == nil) })
        {
            // There was too little audio for a word. The answers to commits come in their order.
            return complete(index)
        }
        let isFailure = code.map(realtime.failureCodes.contains) ?? false
        let isRefusal = code.map(realtime.refusalCodes.contains) ?? false
        if isRefusal || error?.type == "invalid_request_error" && !isFailure {
            throw .refused(server, message.shortened, recovery: "Check the model and the options.")
        }
        throw .lost(server, "the server failed: \(message.shortened)")
    }
}
#endif

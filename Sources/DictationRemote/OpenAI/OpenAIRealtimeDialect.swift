#if Remote
import DictationCore
import DictationEngines
import FoundationEssentials

/// The messages of the OpenAI interface that streams audio.
///
/// The client ends each item at a pause with a commit, and knows which audio is in it. The server sends the text of an
/// item in parts, and then all of it. It may complete items in another order than they were spoken.
struct OpenAIRealtimeDialect: WebSocketDialect {
    /// A stretch of audio that was committed.
    private struct Item {
        var range: Range<Duration>
        var id: String?
        var text = ""
        var isComplete = false
    }

    private let configuration: OpenAIEngine.Configuration
    private let options: RecognitionOptions
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

    private static let mostEnded = 64

    init(
        _ configuration: OpenAIEngine.Configuration, _ options: RecognitionOptions, format: AudioFormat,
        of server: String
    ) {
        self.configuration = configuration
        self.options = options
        self.format = format
        self.server = server
        clock = StretchClock(format)
        cutter = PauseCutter(configuration.endpointing)
    }

    let isReadyAtOnce = false

    func open() -> [WebSocketMessage] {
        var message = OpenAIRealtimeMessage(OpenAIRealtimeMessage.Request.update)
        var session = OpenAIRealtimeSession()
        session.audio = .init(
            input: .init(
                format: .init(type: "audio/pcm", rate: format.sampleRate),
                transcription: .init(
                    model: configuration.model, language: options.locale.language, prompt: configuration.prompt),
                turnDetection: .off))
        message.session = session
        return [text(message)]
    }

    mutating func send(_ audio: AudioBuffer) -> [WebSocketMessage] {
        clock.feed(audio)
        if openStart == nil { openStart = audio.start }
        var message = OpenAIRealtimeMessage(OpenAIRealtimeMessage.Request.append)
        message.audio = Data(audio.int16Bytes).base64EncodedString()
        return [text(message)] + (endsUtterance(with: audio) ? commit() : [])
    }

    mutating func finalize() -> [WebSocketMessage] {
        isEnding = true
        return commit()
    }

    /// Whether a pause that ends an utterance is over with this audio. The cutter takes 16 kHz.
    private mutating func endsUtterance(with audio: AudioBuffer) -> Bool {
        let samples = audio.floatSamples
        let count = Int(Double(samples.count) * 16_000 / Double(format.sampleRate))
        let coarse = (0..<count).map { samples[min(samples.count - 1, $0 * format.sampleRate / 16_000)] }
        return cutter.add(AudioBuffer(coarse, start: audio.start)).contains { $0.speech != nil }
    }

    private mutating func commit() -> [WebSocketMessage] {
        guard let start = openStart else { return [] }
        items.append(Item(range: start..<max(start, clock.end), id: openText?.id, text: openText?.text ?? ""))
        (openStart, openText) = (nil, nil)
        return [text(OpenAIRealtimeMessage(OpenAIRealtimeMessage.Request.commit))]
    }

    private func text(_ message: OpenAIRealtimeMessage) -> WebSocketMessage {
        let data = (try? JSONEncoder().encode(message)) ?? Data()
        return .text(String(decoding: data, as: UTF8.self))
    }

    // MARK: Answers

    mutating func receive(_ message: WebSocketMessage) throws(RemoteFailure) -> [RemoteEvent] {
        guard case .text(let text) = message,
            let event = try? JSONDecoder().decode(OpenAIRealtimeMessage.self, from: Data(text.utf8))
        else { throw .nonsense(server, "something that is no event of the realtime interface") }
        switch event.type {
        case OpenAIRealtimeMessage.Event.created, OpenAIRealtimeMessage.Event.updated,
            "transcription_session.created", "transcription_session.updated":
            return [.opened]
        case OpenAIRealtimeMessage.Event.committed: return identify(event.itemID)
        case OpenAIRealtimeMessage.Event.delta: return try grow(event)
        case OpenAIRealtimeMessage.Event.completed: return complete(event)
        case OpenAIRealtimeMessage.Event.failed:
            throw .lost(server, "the server failed: \((event.error?.message ?? "").shortened)")
        case OpenAIRealtimeMessage.Event.error: return try take(event.error)
        default: return []
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
        guard let start = openStart, clock.end > start, let id = event.itemID, openText?.id ?? id == id else {
            return []
        }
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
        items[index].text = event.transcript ?? items[index].text
        items[index].isComplete = true
        return settle()
    }

    /// Makes the items final that are complete, in the order of the audio.
    private mutating func settle() -> [RemoteEvent] {
        var events: [RemoteEvent] = []
        while let item = items.first, item.isComplete {
            items.removeFirst()
            if let id = item.id { ended = Array((ended + [id]).suffix(Self.mostEnded)) }
            let text = item.text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            if !text.isEmpty { events.append(.update(.final(SpeechResult(range: item.range, text: text)))) }
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

    private mutating func take(_ error: OpenAIError?) throws(RemoteFailure) -> [RemoteEvent] {
        if error?.code == "input_audio_buffer_commit_empty",
            let index = items.lastIndex(where: { $0.id == nil && !$0.isComplete })
        {
            // There was too little audio for a word.
            items[index].isComplete = true
            return settle()
        }
        let message = (error?.message ?? "").shortened
        if error?.type == "invalid_request_error" {
            throw .refused(server, message, recovery: "Check the model and the options.")
        }
        throw .lost(server, "the server failed: \(message)")
    }
}
#endif

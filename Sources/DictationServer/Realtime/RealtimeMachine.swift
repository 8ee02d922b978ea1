#if Server
import DictationCore
import DictationMessages
import FoundationEssentials

/// Decides what the messages of a realtime client mean: a value without a connection, an engine and a clock.
///
/// Whoever carries out a step tells what came of it before the next message.
struct RealtimeMachine: Sendable {
    /// What the client has set.
    struct Settings: Sendable, Hashable {
        var model: String?
        var language: String?
        var sampleRate = 24_000
        var endsAtCommit = false
    }

    /// What a message asks for.
    enum Step: Sendable, Hashable {
        /// Check that the model knows the language, then answer with ``changed(to:)``.
        case change(Settings)
        /// Give the audio to the engine. Without a stream, begin one; without a session, begin that.
        case feed([UInt8])
        /// End the session of the engine, so that all of its audio becomes text. Answer with ``committed(at:)``.
        case commit
        /// Throw the audio away, and begin from the start.
        case clear
        case end
    }

    private enum Phase: Hashable {
        /// No audio has come since the beginning, or since the client threw it away.
        case quiet
        /// Audio has come. In a stream without a session, all of it was committed.
        case streaming(hasSession: Bool, committed: Duration)
    }

    private(set) var settings: Settings
    private var phase = Phase.quiet

    init(model: String?) { settings = Settings(model: model) }

    /// Whether nothing is lost if the connection ends.
    var isIdle: Bool { if case .streaming(hasSession: true, _) = phase { false } else { true } }
    /// The audio of the sessions that have ended.
    var committed: Duration { if case .streaming(_, let committed) = phase { committed } else { .zero } }

    /// Returns what a message asks for.
    ///
    /// - Throws: A refusal, after which the conversation may go on; see ``ends(after:)``.
    func step(for message: WebSocketMessage) throws(ServerRefusal) -> Step {
        let request: OpenAIRealtimeMessage
        switch message {
        case .close: return .end
        case .binary: throw .invalid("Messages must be text.")
        case .text(let text):
            guard let decoded = try? JSONDecoder().decode(OpenAIRealtimeMessage.self, from: Data(text.utf8)) else {
                throw .invalid("The message is not an event of the realtime interface.")
            }
            request = decoded
        }
        switch request.type {
        case OpenAIRealtimeMessage.Request.update:
            guard phase == .quiet else { throw .invalid("The session can't be changed after its first audio.") }
            return .change(try changed(by: request.session))
        case OpenAIRealtimeMessage.Request.append:
            guard let audio = request.audio, let bytes = Data(base64Encoded: audio) else {
                throw .invalid("“audio” must be base64.", param: "audio")
            }
            guard bytes.count % 2 == 0 else {
                throw .invalid("“audio” must have whole samples of 16 bits.", param: "audio")
            }
            return .feed(Array(bytes))
        case OpenAIRealtimeMessage.Request.commit:
            guard !isIdle else { throw .nothingToCommit }
            return .commit
        case OpenAIRealtimeMessage.Request.clear: return .clear
        default: throw .invalid("This server does not know “\(request.type)”.", param: "type")
        }
    }

    /// The settings are checked.
    mutating func changed(to settings: Settings) { self.settings = settings }
    /// A stream has begun.
    mutating func began() { if phase == .quiet { phase = .streaming(hasSession: false, committed: .zero) } }
    /// A session of the engine has the audio that follows.
    mutating func opened() { phase = .streaming(hasSession: true, committed: committed) }
    /// The session has ended with its text.
    mutating func committed(at position: Duration) {
        phase = .streaming(hasSession: false, committed: committed + position)
    }
    /// The stream is thrown away.
    mutating func cleared() { phase = .quiet }

    /// Whether a refusal ends the conversation: it is no fault of the message.
    static func ends(after refusal: ServerRefusal) -> Bool { refusal.status >= 500 || refusal.status == 429 }

    private func changed(by session: OpenAIRealtimeSession?) throws(ServerRefusal) -> Settings {
        var settings = settings
        guard session?.type ?? "transcription" == "transcription" else {
            throw .invalid("This server only transcribes.", param: "session.type")
        }
        guard let input = session?.audio?.input else { return settings }
        if let format = input.format {
            let rate = format.rate ?? settings.sampleRate
            guard format.type == "audio/pcm", (8_000...192_000).contains(rate) else {
                throw .invalid(
                    "The audio must be “audio/pcm” at 8000 to 192000 Hz.", param: "session.audio.input.format")
            }
            settings.sampleRate = rate
        }
        if let transcription = input.transcription {
            settings.model = transcription.model ?? settings.model
            settings.language = transcription.language ?? settings.language
            guard (transcription.prompt ?? "").isEmpty else {
                throw .invalid(
                    "The realtime interface takes no prompt.", param: "session.audio.input.transcription.prompt")
            }
        }
        switch input.turnDetection {
        case .unchanged: break
        case .off: settings.endsAtCommit = true
        case .server: settings.endsAtCommit = false
        }
        return settings
    }
}

extension ServerRefusal {
    static var nothingToCommit: ServerRefusal {
        var empty = ServerRefusal.invalid("There is no audio to commit.")
        empty.error.code = "input_audio_buffer_commit_empty"
        return empty
    }
}
#endif

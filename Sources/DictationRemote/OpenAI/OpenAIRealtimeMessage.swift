/// A message of the realtime interface, in either direction. Each type has some of the members.
struct OpenAIRealtimeMessage: Sendable, Hashable {
    var type: String
    var eventID: String?
    var session: OpenAIRealtimeSession?
    /// Audio in base64.
    var audio: String?
    var itemID: String?
    var previousItemID: String?
    var contentIndex: Int?
    var delta: String?
    var transcript: String?
    var audioStart: Int?
    var audioEnd: Int?
    var usage: OpenAIUsage?
    var error: OpenAIError?
    /// What the transcript lacks, as our server tells it; `nil` for a complete one.
    var loss: String?
    /// vLLM has the model, the text and an error's code here, and tells by a member whether a commit ends an item.
    var model: String?
    var text: String?
    var code: String?
    var isLast: Bool?

    init(_ type: String) { self.type = type }

    /// The types of messages to a server.
    enum Request {
        static let update = "session.update"
        static let append = "input_audio_buffer.append"
        static let commit = "input_audio_buffer.commit"
        static let clear = "input_audio_buffer.clear"
    }

    /// The types of messages from a server.
    enum Event {
        static let created = "session.created"
        static let updated = "session.updated"
        static let speechStarted = "input_audio_buffer.speech_started"
        static let speechStopped = "input_audio_buffer.speech_stopped"
        static let committed = "input_audio_buffer.committed"
        static let cleared = "input_audio_buffer.cleared"
        static let delta = "conversation.item.input_audio_transcription.delta"
        static let completed = "conversation.item.input_audio_transcription.completed"
        static let failed = "conversation.item.input_audio_transcription.failed"
        static let error = "error"
        /// The parts of a text, and all of it, as vLLM names them.
        static let plainDelta = "transcription.delta"
        static let plainDone = "transcription.done"
    }
}

extension OpenAIRealtimeMessage: Codable {
    private enum CodingKeys: String, CodingKey {
        case type, session, audio, delta, transcript, usage, error, loss, model, text, code
        case eventID = "event_id"
        case itemID = "item_id"
        case previousItemID = "previous_item_id"
        case contentIndex = "content_index"
        case audioStart = "audio_start_ms"
        case audioEnd = "audio_end_ms"
        case isLast = "final"
    }
}

/// The settings of a realtime session.
struct OpenAIRealtimeSession: Sendable, Hashable {
    var type: String? = "transcription"
    var id: String?
    var audio: Audio?
    /// The model, where the former version of the interface has it. The client then ends each utterance.
    var formerTranscription: Model?

    struct Audio: Sendable, Hashable, Codable {
        var input: Input?
    }

    struct Input: Sendable, Hashable {
        var format: Format?
        var transcription: Model?
        var turnDetection: TurnDetection
        init(format: Format? = nil, transcription: Model? = nil, turnDetection: TurnDetection = .unchanged) {
            (self.format, self.transcription, self.turnDetection) = (format, transcription, turnDetection)
        }
    }

    struct Format: Sendable, Hashable, Codable {
        var type: String
        var rate: Int?
    }

    struct Model: Sendable, Hashable, Codable {
        var model: String?
        var language: String?
        var prompt: String?
    }

    /// Who ends an utterance.
    enum TurnDetection: Sendable, Hashable {
        /// Not said. The server's default is that it does.
        case unchanged
        /// The client, with a commit: `null`.
        case off
        /// The server, at pauses.
        case server(threshold: Double? = nil, prefixPadding: Int? = nil, silence: Int? = nil)
    }
}

extension OpenAIRealtimeSession: Codable {
    private enum CodingKeys: String, CodingKey {
        case type, id, audio
        case formerTranscription = "input_audio_transcription"
        case formerTurnDetection = "turn_detection"
    }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        type = try values.decodeIfPresent(String.self, forKey: .type)
        id = try values.decodeIfPresent(String.self, forKey: .id)
        audio = try values.decodeIfPresent(Audio.self, forKey: .audio)
    }

    func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encodeIfPresent(type, forKey: .type)
        try values.encodeIfPresent(id, forKey: .id)
        try values.encodeIfPresent(audio, forKey: .audio)
        guard let formerTranscription else { return }
        try values.encode(formerTranscription, forKey: .formerTranscription)
        try values.encodeNil(forKey: .formerTurnDetection)
    }
}

extension OpenAIRealtimeSession.Input: Codable {
    private enum CodingKeys: String, CodingKey {
        case format, transcription
        case turnDetection = "turn_detection"
    }

    private struct Detection: Codable {
        var type: String? = "server_vad"
        var threshold: Double?
        var padding: Int?
        var silence: Int?

        enum CodingKeys: String, CodingKey {
            case type, threshold
            case padding = "prefix_padding_ms"
            case silence = "silence_duration_ms"
        }
    }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            format: try values.decodeIfPresent(OpenAIRealtimeSession.Format.self, forKey: .format),
            transcription: try values.decodeIfPresent(OpenAIRealtimeSession.Model.self, forKey: .transcription))
        guard values.contains(.turnDetection) else { return }
        if let detection = try values.decodeIfPresent(Detection.self, forKey: .turnDetection) {
            turnDetection = .server(
                threshold: detection.threshold, prefixPadding: detection.padding,
                silence: detection.silence)
        } else {
            turnDetection = .off
        }
    }

    func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encodeIfPresent(format, forKey: .format)
        try values.encodeIfPresent(transcription, forKey: .transcription)
        switch turnDetection {
        case .unchanged: break
        case .off: try values.encodeNil(forKey: .turnDetection)
        case .server(let threshold, let padding, let silence):
            try values.encode(
                Detection(threshold: threshold, padding: padding, silence: silence),
                forKey: .turnDetection)
        }
    }
}

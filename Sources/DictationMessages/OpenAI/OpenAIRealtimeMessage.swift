/// A message of the realtime interface, in either direction. Each type has some of the members.
package struct OpenAIRealtimeMessage: Sendable, Hashable {
    package var type: String
    package var eventID: String?
    package var session: OpenAIRealtimeSession?
    /// Audio in base64.
    package var audio: String?
    package var itemID: String?
    package var previousItemID: String?
    package var contentIndex: Int?
    package var delta: String?
    package var transcript: String?
    package var audioStart: Int?
    package var audioEnd: Int?
    package var usage: OpenAIUsage?
    package var error: OpenAIError?
    /// What the transcript lacks, as our server tells it; `nil` for a complete one.
    package var loss: String?
    /// vLLM has the model, the text and an error's code here, and tells by a member whether a commit ends an item.
    package var model: String?
    package var text: String?
    package var code: String?
    package var isLast: Bool?

    package init(_ type: String) { self.type = type }

    /// The types of messages to a server.
    package enum Request {
        package static let update = "session.update"
        package static let append = "input_audio_buffer.append"
        package static let commit = "input_audio_buffer.commit"
        package static let clear = "input_audio_buffer.clear"
    }

    /// The types of messages from a server.
    package enum Event {
        package static let created = "session.created"
        package static let updated = "session.updated"
        package static let speechStarted = "input_audio_buffer.speech_started"
        package static let speechStopped = "input_audio_buffer.speech_stopped"
        package static let committed = "input_audio_buffer.committed"
        package static let cleared = "input_audio_buffer.cleared"
        package static let delta = "conversation.item.input_audio_transcription.delta"
        package static let completed = "conversation.item.input_audio_transcription.completed"
        package static let failed = "conversation.item.input_audio_transcription.failed"
        package static let error = "error"
        /// The parts of a text, and all of it, as vLLM names them.
        package static let plainDelta = "transcription.delta"
        package static let plainDone = "transcription.done"
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
package struct OpenAIRealtimeSession: Sendable, Hashable {
    package var type: String? = "transcription"
    package var id: String?
    package var audio: Audio?
    /// The model, where the former version of the interface has it. The client then ends each utterance.
    package var formerTranscription: Model?

    package init(
        type: String? = "transcription", id: String? = nil, audio: Audio? = nil, formerTranscription: Model? = nil
    ) {
        (self.type, self.id, self.audio, self.formerTranscription) = (type, id, audio, formerTranscription)
    }

    package struct Audio: Sendable, Hashable, Codable {
        package var input: Input?

        package init(input: Input? = nil) { self.input = input }
    }

    package struct Input: Sendable, Hashable {
        package var format: Format?
        package var transcription: Model?
        package var turnDetection: TurnDetection
        package init(format: Format? = nil, transcription: Model? = nil, turnDetection: TurnDetection = .unchanged) {
            (self.format, self.transcription, self.turnDetection) = (format, transcription, turnDetection)
        }
    }

    package struct Format: Sendable, Hashable, Codable {
        package var type: String
        package var rate: Int?

        package init(type: String, rate: Int? = nil) {
            (self.type, self.rate) = (type, rate)
        }
    }

    package struct Model: Sendable, Hashable, Codable {
        package var model: String?
        package var language: String?
        package var prompt: String?

        package init(model: String? = nil, language: String? = nil, prompt: String? = nil) {
            (self.model, self.language, self.prompt) = (model, language, prompt)
        }
    }

    /// Who ends an utterance.
    package enum TurnDetection: Sendable, Hashable {
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

    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        type = try values.decodeIfPresent(String.self, forKey: .type)
        id = try values.decodeIfPresent(String.self, forKey: .id)
        audio = try values.decodeIfPresent(Audio.self, forKey: .audio)
    }

    package func encode(to encoder: any Encoder) throws {
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

    package init(from decoder: any Decoder) throws {
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

    package func encode(to encoder: any Encoder) throws {
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

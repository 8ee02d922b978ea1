/// A transcript as the OpenAI interface writes it: `json` has only the text, `verbose_json` all of it.
///
/// Reads what other servers write too: a duration as a text, words named `text`, words in segments, or no segments.
package struct OpenAITranscript: Sendable, Hashable {
    package var task: String?
    package var language: String?
    /// The duration of the audio in seconds.
    package var duration: Double?
    package var text: String
    package var segments: [Segment]?
    package var words: [Word]?
    package var usage: OpenAIUsage?
    /// What the text lacks, as our server tells it; `nil` for a complete one.
    package var loss: String?

    package init(
        task: String? = nil, language: String? = nil, duration: Double? = nil, text: String,
        segments: [Segment]? = nil, words: [Word]? = nil, usage: OpenAIUsage? = nil, loss: String? = nil
    ) {
        (self.task, self.language, self.duration, self.text) = (task, language, duration, text)
        (self.segments, self.words, self.usage, self.loss) = (segments, words, usage, loss)
    }

    package struct Segment: Sendable, Hashable {
        package var id: Int
        package var start: Double
        package var end: Double
        package var text: String
        /// Only for readers of the original, which has them. No engine here knows them.
        package var seek = 0
        package var tokens: [Int] = []
        package var temperature = 0.0
        package var averageLogProbability: Double?
        package var compressionRatio = 1.0
        package var noSpeechProbability: Double?
        /// The segment's words. The original has them beside the segments.
        package var words: [Word]?

        package init(
            id: Int, start: Double, end: Double, text: String, averageLogProbability: Double? = nil,
            noSpeechProbability: Double? = nil, words: [Word]? = nil
        ) {
            (self.id, self.start, self.end, self.text) = (id, start, end, text)
            (self.averageLogProbability, self.noSpeechProbability) = (averageLogProbability, noSpeechProbability)
            self.words = words
        }
    }

    package struct Word: Sendable, Hashable {
        package var word: String
        package var start: Double
        package var end: Double

        package init(word: String, start: Double, end: Double) {
            (self.word, self.start, self.end) = (word, start, end)
        }
    }
}

/// What a transcription costs: the seconds of audio.
package struct OpenAIUsage: Sendable, Hashable {
    package var type = "duration"
    package var seconds: Double?

    package init(type: String = "duration", seconds: Double? = nil) {
        (self.type, self.seconds) = (type, seconds)
    }
}

extension OpenAIUsage: Codable {
    private enum CodingKeys: String, CodingKey { case type, seconds }

    /// Reads what other servers write too: counts of tokens, without a type.
    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        type = (try? values.decode(String.self, forKey: .type)) ?? "tokens"
        seconds = values.looseNumber(.seconds)
    }
}

extension OpenAITranscript: Codable {
    private enum CodingKeys: String, CodingKey {
        case task, language, duration, text, segments, words, usage, loss
    }

    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            task: try? values.decodeIfPresent(String.self, forKey: .task),
            language: try? values.decodeIfPresent(String.self, forKey: .language),
            duration: values.looseNumber(.duration), text: try values.decode(String.self, forKey: .text),
            segments: try? values.decodeIfPresent([Segment].self, forKey: .segments),
            words: try? values.decodeIfPresent([Word].self, forKey: .words),
            usage: try? values.decodeIfPresent(OpenAIUsage.self, forKey: .usage),
            loss: try? values.decodeIfPresent(String.self, forKey: .loss))
    }
}

extension OpenAITranscript.Segment: Codable {
    private enum CodingKeys: String, CodingKey {
        case id, start, end, text, seek, tokens, temperature, words
        case averageLogProbability = "avg_logprob"
        case compressionRatio = "compression_ratio"
        case noSpeechProbability = "no_speech_prob"
    }

    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            id: (try? values.decode(Int.self, forKey: .id)) ?? 0, start: values.looseNumber(.start) ?? 0,
            end: values.looseNumber(.end) ?? 0, text: try values.decode(String.self, forKey: .text),
            averageLogProbability: values.looseNumber(.averageLogProbability),
            noSpeechProbability: values.looseNumber(.noSpeechProbability),
            words: try? values.decodeIfPresent([OpenAITranscript.Word].self, forKey: .words))
    }
}

extension OpenAITranscript.Word: Codable {
    private enum CodingKeys: String, CodingKey {
        case word, text, start, end
    }

    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        let word = try values.decodeIfPresent(String.self, forKey: .word)
        self.init(
            word: try word ?? values.decode(String.self, forKey: .text), start: values.looseNumber(.start) ?? 0,
            end: values.looseNumber(.end) ?? 0)
    }

    package func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(word, forKey: .word)
        try values.encode(start, forKey: .start)
        try values.encode(end, forKey: .end)
    }
}

extension KeyedDecodingContainer {
    /// Returns a finite number, also one that is written as a text.
    fileprivate func looseNumber(_ key: Key) -> Double? {
        let number =
            (try? decode(Double.self, forKey: key)) ?? (try? decode(String.self, forKey: key)).flatMap(Double.init)
        return number.flatMap { $0.isFinite ? $0 : nil }
    }
}

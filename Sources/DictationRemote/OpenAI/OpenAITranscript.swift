/// A transcript as the OpenAI interface writes it: `json` has only the text, `verbose_json` all of it.
///
/// Reads what other servers write too: a duration as a text, words named `text`, words in segments, or no segments.
struct OpenAITranscript: Sendable, Hashable {
    var task: String?
    var language: String?
    /// The duration of the audio in seconds.
    var duration: Double?
    var text: String
    var segments: [Segment]?
    var words: [Word]?
    var usage: OpenAIUsage?
    /// What the text lacks, as our server tells it; `nil` for a complete one.
    var loss: String?

    struct Segment: Sendable, Hashable {
        var id: Int
        var start: Double
        var end: Double
        var text: String
        /// Only for readers of the original, which has them. No engine here knows them.
        var seek = 0
        var tokens: [Int] = []
        var temperature = 0.0
        var averageLogProbability: Double?
        var compressionRatio = 1.0
        var noSpeechProbability: Double?
        /// The segment's words. The original has them beside the segments.
        var words: [Word]?
    }

    struct Word: Sendable, Hashable {
        var word: String
        var start: Double
        var end: Double
    }
}

/// What a transcription costs: the seconds of audio.
struct OpenAIUsage: Sendable, Hashable {
    var type = "duration"
    var seconds: Double?
}

extension OpenAIUsage: Codable {
    private enum CodingKeys: String, CodingKey { case type, seconds }

    /// Reads what other servers write too: counts of tokens, without a type.
    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        type = (try? values.decode(String.self, forKey: .type)) ?? "tokens"
        seconds = values.looseNumber(.seconds)
    }
}

extension OpenAITranscript: Codable {
    private enum CodingKeys: String, CodingKey {
        case task, language, duration, text, segments, words, usage, loss
    }

    init(from decoder: any Decoder) throws {
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

    init(from decoder: any Decoder) throws {
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

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        let word = try values.decodeIfPresent(String.self, forKey: .word)
        self.init(
            word: try word ?? values.decode(String.self, forKey: .text), start: values.looseNumber(.start) ?? 0,
            end: values.looseNumber(.end) ?? 0)
    }

    func encode(to encoder: any Encoder) throws {
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

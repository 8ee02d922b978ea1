/// A time in JSON: a number of seconds. Whole nanoseconds stay exact when written and read.
struct JSONSeconds: Codable {
    let duration: Duration

    init(_ duration: Duration) { self.duration = duration }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let nanoseconds = (try container.decode(Double.self) * 1e9).rounded()
        guard let whole = Int128(exactly: nanoseconds), abs(whole) <= Int128(Int64.max) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a number of seconds")
        }
        duration = .nanoseconds(Int64(whole))
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(Double(duration.nanoseconds) / 1e9)
    }
}

/// A range of times in JSON: `{"start": 0.25, "end": 2}`.
struct JSONTimeRange: Codable {
    private let start: JSONSeconds
    private let end: JSONSeconds

    init(_ range: Range<Duration>) {
        start = JSONSeconds(range.lowerBound)
        end = JSONSeconds(range.upperBound)
    }

    func range<Key: CodingKey>(
        for key: Key, in container: KeyedDecodingContainer<Key>
    ) throws -> Range<Duration> {
        guard start.duration <= end.duration else {
            throw DecodingError.dataCorruptedError(
                forKey: key, in: container, debugDescription: "a range that ends before it starts")
        }
        return start.duration..<end.duration
    }
}

extension KeyedDecodingContainer {
    func decodeRange(_ key: Key) throws -> Range<Duration> {
        try decode(JSONTimeRange.self, forKey: key).range(for: key, in: self)
    }
}

// MARK: Types with times

extension SpeechResult: Codable {
    private enum CodingKeys: CodingKey {
        case range, text, words, alternatives, isComplete, isDoubtful, endsInSpeech, speaker
    }

    /// Reads a result. Only the range and the text are required.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            range: try container.decodeRange(.range), text: try container.decode(String.self, forKey: .text),
            words: try container.decodeIfPresent([Word].self, forKey: .words) ?? [],
            alternatives: try container.decodeIfPresent([Alternative].self, forKey: .alternatives) ?? [],
            isComplete: try container.decodeIfPresent(Bool.self, forKey: .isComplete) ?? true,
            isDoubtful: try container.decodeIfPresent(Bool.self, forKey: .isDoubtful) ?? false,
            endsInSpeech: try container.decodeIfPresent(Bool.self, forKey: .endsInSpeech) ?? false,
            speaker: try container.decodeIfPresent(String.self, forKey: .speaker))
    }

    /// Writes the result, with times in seconds: `"range": {"start": 0.25, "end": 2}`. The names `isDoubtful` and
    /// `endsInSpeech` are only there when they are true, and `speaker` only for a result with a speaker.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(JSONTimeRange(range), forKey: .range)
        try container.encode(text, forKey: .text)
        try container.encode(words, forKey: .words)
        try container.encode(alternatives, forKey: .alternatives)
        try container.encode(isComplete, forKey: .isComplete)
        if isDoubtful { try container.encode(isDoubtful, forKey: .isDoubtful) }
        if endsInSpeech { try container.encode(endsInSpeech, forKey: .endsInSpeech) }
        try container.encodeIfPresent(speaker, forKey: .speaker)
    }
}

extension SpeechResult.Word: Codable {
    private enum CodingKeys: CodingKey { case text, range, confidence }

    /// Reads a word. Only the text is required.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let hasRange = try container.contains(.range) && !container.decodeNil(forKey: .range)
        self.init(
            try container.decode(String.self, forKey: .text), range: hasRange ? try container.decodeRange(.range) : nil,
            confidence: try container.decodeIfPresent(Double.self, forKey: .confidence))
    }

    /// Writes the word, with times in seconds: `"range": {"start": 0.25, "end": 0.5}`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(text, forKey: .text)
        try container.encodeIfPresent(range.map { JSONTimeRange($0) }, forKey: .range)
        try container.encodeIfPresent(confidence, forKey: .confidence)
    }
}

extension AudioGap: Codable {
    private enum CodingKeys: CodingKey { case range, frameCount, cause }

    /// Reads a gap.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            range: try container.decodeRange(.range), frameCount: try container.decode(Int64.self, forKey: .frameCount),
            cause: try container.decode(Cause.self, forKey: .cause))
    }

    /// Writes the gap, with times in seconds: `"range": {"start": 2, "end": 2.1}`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(JSONTimeRange(range), forKey: .range)
        try container.encode(frameCount, forKey: .frameCount)
        try container.encode(cause, forKey: .cause)
    }
}

extension Transcript: Codable {
    private enum CodingKeys: CodingKey { case segments, gaps, duration, locale, error, isComplete, take }

    /// Reads a transcript.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            segments: try container.decode([SpeechResult].self, forKey: .segments),
            gaps: try container.decode([AudioGap].self, forKey: .gaps),
            duration: try container.decode(JSONSeconds.self, forKey: .duration).duration,
            locale: try container.decode(SpeechLocale.self, forKey: .locale),
            error: try container.decodeIfPresent(DictationError.self, forKey: .error),
            isComplete: try container.decode(Bool.self, forKey: .isComplete),
            take: try container.decodeIfPresent(TakeID.self, forKey: .take))
    }

    /// Writes the transcript, with times in seconds.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(segments, forKey: .segments)
        try container.encode(gaps, forKey: .gaps)
        try container.encode(JSONSeconds(duration), forKey: .duration)
        try container.encode(locale, forKey: .locale)
        try container.encodeIfPresent(error, forKey: .error)
        try container.encode(isComplete, forKey: .isComplete)
        try container.encodeIfPresent(take, forKey: .take)
    }
}

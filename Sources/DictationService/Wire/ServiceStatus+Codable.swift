import DictationCore

extension ServiceStatus: Codable {
    private enum CodingKeys: CodingKey {
        case state, take, profile, elapsed, level, finalText, stableText, changingText, lines, locale, engine,
            model, hasAudio, isEngineReady, input
        case interruption, error, loss, spoolError, journalError, delivery
    }

    /// Reads a status. Only the state, the engine and the language are required.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            engine: try container.decode(String.self, forKey: .engine),
            model: try container.decodeIfPresent(String.self, forKey: .model),
            locale: try container.decode(SpeechLocale.self, forKey: .locale))
        state = try container.decode(State.self, forKey: .state)
        take = try container.decodeIfPresent(TakeID.self, forKey: .take)
        profile = try container.decodeIfPresent(String.self, forKey: .profile)
        elapsed =
            try container.decodeIfPresent(Double.self, forKey: .elapsed).flatMap { .init(wireSeconds: $0) } ?? .zero
        level = try container.decodeIfPresent(Double.self, forKey: .level).map { Decibels($0) } ?? .silence
        finalText = try container.decodeIfPresent(String.self, forKey: .finalText) ?? ""
        stableText = try container.decodeIfPresent(String.self, forKey: .stableText) ?? ""
        changingText = try container.decodeIfPresent(String.self, forKey: .changingText) ?? ""
        lines = try container.decodeIfPresent([Line].self, forKey: .lines) ?? []
        // An older service does not say.
        hasAudio = try container.decodeIfPresent(Bool.self, forKey: .hasAudio) ?? (elapsed > .zero)
        isEngineReady = try container.decodeIfPresent(Bool.self, forKey: .isEngineReady) ?? false
        input = try container.decodeIfPresent(DictationSession.InputCondition.self, forKey: .input)
        interruption = try container.decodeIfPresent(CaptureEvent.InterruptionCause.self, forKey: .interruption)
        error = try container.decodeIfPresent(DictationError.self, forKey: .error)
        loss = try container.decodeIfPresent(String.self, forKey: .loss)
        spoolError = try container.decodeIfPresent(DictationError.self, forKey: .spoolError)
        journalError = try container.decodeIfPresent(DictationError.self, forKey: .journalError)
        delivery = try container.decodeIfPresent(TextDelivery.self, forKey: .delivery)
    }

    /// Writes the status, with the time in seconds and the level in decibels.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(state, forKey: .state)
        try container.encodeIfPresent(take, forKey: .take)
        try container.encodeIfPresent(profile, forKey: .profile)
        try container.encode(elapsed.wireSeconds, forKey: .elapsed)
        try container.encode((level.value * 10).rounded() / 10, forKey: .level)
        try container.encode(finalText, forKey: .finalText)
        try container.encode(stableText, forKey: .stableText)
        try container.encode(changingText, forKey: .changingText)
        if !lines.isEmpty { try container.encode(lines, forKey: .lines) }
        try container.encode(locale, forKey: .locale)
        try container.encode(engine, forKey: .engine)
        try container.encodeIfPresent(model, forKey: .model)
        try container.encode(hasAudio, forKey: .hasAudio)
        try container.encode(isEngineReady, forKey: .isEngineReady)
        try container.encodeIfPresent(input, forKey: .input)
        try container.encodeIfPresent(interruption, forKey: .interruption)
        try container.encodeIfPresent(error, forKey: .error)
        try container.encodeIfPresent(loss, forKey: .loss)
        try container.encodeIfPresent(spoolError, forKey: .spoolError)
        try container.encodeIfPresent(journalError, forKey: .journalError)
        try container.encodeIfPresent(delivery, forKey: .delivery)
    }
}

extension Duration {
    /// The seconds, rounded to milliseconds.
    package var wireSeconds: Double { (self / .milliseconds(1)).rounded() / 1_000 }

    /// Creates a time from seconds; `nil` unless they are between zero and a century.
    package init?(wireSeconds seconds: Double) {
        guard (0...3_155_760_000).contains(seconds) else { return nil }
        self = .milliseconds(Int64((seconds * 1_000).rounded()))
    }
}

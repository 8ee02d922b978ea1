import DictationCore
import FoundationEssentials

/// A line of a recording. The article “Recording and replaying an engine” describes the members of each kind of line.
struct RecordingLine: Codable {
    static let version = 1

    enum Kind: String, Codable {
        case recording, session, audio, inputEnd, call, update, end
    }

    var kind: Kind
    var version: Int?
    var engine: String?
    var locales: [SpeechLocale]?
    var features: [EngineCapabilities.Feature]?
    var maximumSessions: Int?
    var session: Int?
    var options: RecordedOptions?
    var format: AudioFormat?
    var start: Seconds?
    var bytes: Data?
    var call: String?
    var through: Seconds?
    var fed: Seconds?
    var elapsed: Seconds?
    var update: RecordedUpdate?
    var error: RecordedError?

    init(_ kind: Kind, session: Int? = nil) {
        self.kind = kind
        self.session = session
    }

    /// Returns the line as JSON, with a newline at its end.
    func encoded() throws(DictationError) -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        do { return try encoder.encode(self) + [UInt8(ascii: "\n")] } catch {
            throw DictationError(.fileUnreadable, "A line of the recording can't be written: \(error).")
        }
    }

    /// Reads a line. Throws a description of its damage.
    init(decoding line: Data) throws(RecordingDamage) {
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        do { self = try decoder.decode(RecordingLine.self, from: line) } catch {
            throw RecordingDamage((error as? DecodingError)?.words ?? "it is not JSON")
        }
    }
}

/// The damage of a line.
struct RecordingDamage: Error {
    let what: String
    init(_ what: String) { self.what = what }
}

/// A time as a string with a decimal number of seconds, exact to the attosecond.
struct Seconds: Codable {
    let duration: Duration
    private static let longest = Duration.seconds(999_999_999_999_999_999)

    /// Creates a time, cut off at a length that no recording reaches.
    init(_ duration: Duration) { self.duration = max(.zero - Self.longest, min(Self.longest, duration)) }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        let digits = text.hasPrefix("-") ? String(text.dropFirst()) : text
        guard let magnitude = Duration(decimal: digits) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a number of seconds")
        }
        duration = text.hasPrefix("-") ? .zero - magnitude : magnitude
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(duration.decimalSeconds)
    }
}

struct RecordedError: Codable {
    var code: DictationError.Code
    var message: String
    var recovery: String?
    var domain: String?
    var number: Int?
    var words: String?

    init(_ error: DictationError) {
        code = error.code
        message = error.message
        recovery = error.recovery
        domain = error.underlying?.domain
        number = error.underlying?.code
        words = error.underlying?.message
    }

    var error: DictationError {
        let underlying = domain.map { DictationError.Underlying(domain: $0, code: number ?? 0, message: words) }
        return DictationError(code, message, recovery: recovery, underlying: underlying)
    }
}

/// An update as a member with the name of its kind.
struct RecordedUpdate: Codable {
    struct Span: Codable {
        var from: Seconds
        var to: Seconds

        init(_ range: Range<Duration>) {
            from = Seconds(range.lowerBound)
            to = Seconds(range.upperBound)
        }
    }

    var volatile: RecordedResult?
    var final: RecordedResult?
    var revoked: Span?
    var finalizedThrough: Seconds?
    var interrupted: RecordedError?
    var lost: Span?
    var voiceThrough: Seconds?
    var speech: Span?
    var turnEnded: Seconds?

    init(_ update: SpeechUpdate) {
        switch update {
        case .volatile(let result): volatile = RecordedResult(result)
        case .final(let result): final = RecordedResult(result)
        case .revoked(let range): revoked = Span(range)
        case .finalized(let time): finalizedThrough = Seconds(time)
        case .interrupted(let interruption):
            interrupted = RecordedError(interruption.cause)
            lost = interruption.lost.map { Span($0) }
        case .voice(let voice):
            voiceThrough = Seconds(voice.through)
            speech = voice.speech.map { Span($0) }
        case .turnEnded(let time): turnEnded = Seconds(time)
        }
    }

    func update() throws(RecordingDamage) -> SpeechUpdate {
        if let volatile { return .volatile(try volatile.result()) }
        if let final { return .final(try final.result()) }
        if let revoked, let range = try RecordedResult.range(revoked.from, revoked.to) { return .revoked(range) }
        if let interrupted {
            let lost = try RecordedResult.range(lost?.from, lost?.to)
            return .interrupted(SpeechUpdate.EngineInterruption(cause: interrupted.error, lost: lost))
        }
        if let voiceThrough {
            let speech = try RecordedResult.range(speech?.from, speech?.to)
            return .voice(SpeechUpdate.Voice(through: voiceThrough.duration, speech: speech))
        }
        if let turnEnded { return .turnEnded(at: turnEnded.duration) }
        if let finalizedThrough { return .finalized(through: finalizedThrough.duration) }
        throw RecordingDamage("the update has no known kind")
    }
}

struct RecordedResult: Codable {
    struct Word: Codable {
        var text: String
        var from: Seconds?
        var to: Seconds?
        var confidence: Double?
    }

    var from: Seconds
    var to: Seconds
    var text: String
    var words: [Word]?
    var alternatives: [SpeechResult.Alternative]?
    var isComplete: Bool?
    var isDoubtful: Bool?
    var endsInSpeech: Bool?
    var speaker: String?

    init(_ result: SpeechResult) {
        from = Seconds(result.range.lowerBound)
        to = Seconds(result.range.upperBound)
        text = result.text
        let all = result.words.map { word in
            Word(
                text: word.text, from: word.range.map { Seconds($0.lowerBound) },
                to: word.range.map { Seconds($0.upperBound) }, confidence: word.confidence)
        }
        words = all.isEmpty ? nil : all
        alternatives = result.alternatives.isEmpty ? nil : result.alternatives
        isComplete = result.isComplete ? nil : false
        isDoubtful = result.isDoubtful ? true : nil
        endsInSpeech = result.endsInSpeech ? true : nil
        speaker = result.speaker
    }

    func result() throws(RecordingDamage) -> SpeechResult {
        guard let range = try Self.range(from, to) else { throw RecordingDamage("the result has no range") }
        var all: [SpeechResult.Word] = []
        for word in words ?? [] {
            all.append(.init(word.text, range: try Self.range(word.from, word.to), confidence: word.confidence))
        }
        return SpeechResult(
            range: range, text: text, words: all, alternatives: alternatives ?? [], isComplete: isComplete ?? true,
            isDoubtful: isDoubtful ?? false, endsInSpeech: endsInSpeech ?? false, speaker: speaker)
    }

    fileprivate static func range(_ from: Seconds?, _ to: Seconds?) throws(RecordingDamage) -> Range<Duration>? {
        guard let from, let to else { return nil }
        guard from.duration <= to.duration else { throw RecordingDamage("a range ends before it begins") }
        return from.duration..<to.duration
    }
}

struct RecordedOptions: Codable {
    enum Task: String, Codable {
        case dictation, grammar, keyphrases, alignment
    }

    var locale: SpeechLocale
    var task: Task
    var grammar: RecognitionTask.Grammar?
    var keyphrases: [RecognitionTask.Keyphrase]?
    var alignment: String?
    var priority: RecognitionOptions.Priority
    var volatileResults: Bool
    var wordTimes: Bool
    var wordConfidence: Bool
    var maximumAlternatives: Int
    var contextualStrings: [RecognitionOptions.ContextualString]
    var finalizationTimeout: Seconds

    init(_ options: RecognitionOptions) {
        locale = options.locale
        switch options.task {
        case .dictation: task = .dictation
        case .grammar(let grammar): (task, self.grammar) = (.grammar, grammar)
        case .keyphrases(let phrases): (task, keyphrases) = (.keyphrases, phrases)
        case .alignment(let text): (task, alignment) = (.alignment, text)
        }
        priority = options.priority
        volatileResults = options.volatileResults
        wordTimes = options.wordTimes
        wordConfidence = options.wordConfidence
        maximumAlternatives = options.maximumAlternatives
        contextualStrings = options.contextualStrings
        finalizationTimeout = Seconds(options.finalizationTimeout)
    }

    func options() throws(RecordingDamage) -> RecognitionOptions {
        let recognition: RecognitionTask? =
            switch task {
            case .dictation: .dictation
            case .grammar: grammar.map { .grammar($0) }
            case .keyphrases: keyphrases.map { .keyphrases($0) }
            case .alignment: alignment.map { .alignment($0) }
            }
        guard let recognition else { throw RecordingDamage("the task has no “\(task.rawValue)”") }
        return RecognitionOptions(
            locale: locale, task: recognition, priority: priority, volatileResults: volatileResults,
            wordTimes: wordTimes, wordConfidence: wordConfidence, maximumAlternatives: maximumAlternatives,
            contextualStrings: contextualStrings, finalizationTimeout: finalizationTimeout.duration)
    }
}

import DictationCore
import DictationText

/// What a client asks of a transcription.
struct TranscriptionRequest: Sendable {
    enum Format: String, Sendable, CaseIterable {
        case json
        case text
        case srt
        case vtt
        case verbose = "verbose_json"
    }

    var model: ServedModel
    var options: RecognitionOptions
    var format: Format
    /// Whether the answer lists segments and words; only in the verbose format.
    var hasSegments: Bool
    var hasWords: Bool
    /// Whether the text comes while it is recognized.
    var isStreamed: Bool
    /// The fields that only help and that the model can't use.
    var ignoredFields: [String] = []

    private static let lists = ["languages", "keywords", "timestamp_granularities", "include"]
    private static let known = Set(lists + lists.map { $0 + "[]" }).union([
        "model", "language", "prompt", "response_format", "temperature", "stream", "chunking_strategy",
        "chunking_strategy[type]", "chunking_strategy[threshold]", "chunking_strategy[prefix_padding_ms]",
        "chunking_strategy[silence_duration_ms]",
    ])

    /// Reads the fields of a form.
    ///
    /// It is as lenient as the original, whose description of 2026-11 has these fields: what only helps is left out
    /// where the model can't use it, and ``ignoredFields`` names it. What would change the answer is followed or refused.
    ///
    /// - Throws: A refusal of what the model can't do.
    init(_ fields: [String: [String]], models: [ServedModel]) async throws(ServerRefusal) {
        if let unknown = fields.keys.first(where: { !Self.known.contains($0) }) {
            throw .invalid(
                unknown.hasPrefix("known_speaker")
                    ? "This server does not tell speakers apart." : "This server does not know the field “\(unknown)”.",
                param: unknown)
        }
        let repeated = fields.filter { Set($0.value).count > 1 }.keys
        if let name = repeated.first(where: { name in !Self.lists.contains(where: name.hasPrefix) }) {
            throw .invalid("The form has the field “\(name)” with different values.", param: name)
        }
        func field(_ name: String) -> String? { fields[name]?.last.flatMap { $0.isEmpty ? nil : $0 } }
        func list(_ name: String) -> [String] { (fields[name + "[]"] ?? []) + (fields[name] ?? []) }
        model = try models.model(named: field("model"))
        guard let format = Format(rawValue: field("response_format") ?? "json") else {
            throw .invalid(
                "“response_format” must be one of: \(Format.allCases.map(\.rawValue).joined(separator: ", ")).",
                param: "response_format")
        }
        self.format = format
        if let temperature = field("temperature") {
            // Engines here choose the likeliest text. The field is only checked.
            guard let value = Double(temperature), (0...1).contains(value) else {
                throw .invalid("“temperature” must be a number from 0 to 1.", param: "temperature")
            }
        }
        let granularities = list("timestamp_granularities")
        guard granularities.allSatisfy({ $0 == "word" || $0 == "segment" }) else {
            throw .invalid("A granularity is “word” or “segment”.", param: "timestamp_granularities")
        }
        // Other formats have no place for words. Segments are the usual granularity, which these formats leave out.
        guard format == .verbose || !granularities.contains("word") else {
            throw .invalid(
                "The granularity “word” needs the response format “verbose_json”.", param: "timestamp_granularities")
        }
        hasWords = granularities.contains("word")
        hasSegments = granularities.isEmpty || granularities.contains("segment")
        let streams = ["true": true, "True": true, "1": true, "false": false, "False": false, "0": false]
        guard let wantsStream = streams[field("stream") ?? "false"] else {
            throw .invalid("“stream” must be “true” or “false”.", param: "stream")
        }
        isStreamed = wantsStream && (format == .json || format == .text)
        if wantsStream, !isStreamed { ignoredFields.append("stream") }
        guard list("include").isEmpty else {
            throw .invalid("This server has nothing to include.", param: "include")
        }
        try Self.check(chunkingStrategy: field("chunking_strategy"), type: field("chunking_strategy[type]"))

        options = .fileTranscription(try await model.locale(for: field("language"), or: list("languages")))
        let features = model.engine.capabilities.features
        options.wordTimes = hasWords || (format == .srt || format == .vtt) && features.contains(.wordTimes)
        let prompt = (field("prompt") ?? "").split { $0 == "," || $0.isNewline }.map(String.init)
        let phrases = (list("keywords") + prompt)
            .map { $0.trimmingPrefix { $0.isWhitespace } }.filter { !$0.isEmpty }.map {
                RecognitionOptions.ContextualString(String($0))
            }
        if features.contains(.contextualStrings) {
            options.contextualStrings = phrases
        } else if !phrases.isEmpty {
            ignoredFields += ["prompt", "keywords"].filter { fields[$0] != nil || fields[$0 + "[]"] != nil }
        }
        do throws(DictationError) {
            try model.engine.capabilities.validate(options, engine: model.name)
        } catch {
            throw ServerRefusal(error)
        }
    }

    /// Checks the way to cut the audio, which engines here choose themselves: `auto`, or the detection of pauses as JSON
    /// or in fields of its own.
    private static func check(chunkingStrategy: String?, type: String?) throws(ServerRefusal) {
        let isKnown =
            switch chunkingStrategy {
            case "auto", nil: ["server_vad", nil].contains(type)
            case let text?: JSONValue(json: text.utf8)?["type"] == .text("server_vad")
            }
        guard isKnown else {
            throw .invalid(
                "“chunking_strategy” must be “auto” or have the type “server_vad”.", param: "chunking_strategy")
        }
    }
}

extension ServedModel {
    /// Returns the locale for a language, or else for the first of several that the engine knows.
    fileprivate func locale(
        for language: String?, or languages: [String]
    ) async throws(ServerRefusal) -> SpeechLocale {
        var refusal: ServerRefusal?
        for language in language.map({ [$0] }) ?? languages {
            do throws(ServerRefusal) { return try await locale(for: language) } catch { refusal = refusal ?? error }
        }
        if let refusal { throw refusal }
        return try await locale(for: nil)
    }
}

extension [ServedModel] {
    /// Returns the model with a name or alias; the first one for no name.
    func model(named name: String?) throws(ServerRefusal) -> ServedModel {
        guard let name else {
            guard let first else { throw .unknownModel("", of: self) }
            return first
        }
        guard let found = first(where: { $0.name == name || $0.aliases.contains(name) }) else {
            throw .unknownModel(name, of: self)
        }
        return found
    }
}

import DictationCore

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

    private static let known: Set<String> = [
        "model", "language", "prompt", "response_format", "temperature", "timestamp_granularities",
        "timestamp_granularities[]", "stream", "include[]", "chunking_strategy",
    ]

    /// Reads the fields of a form.
    ///
    /// - Throws: A refusal of what the model can't do. No option is ignored without a word.
    init(_ fields: [String: [String]], models: [ServedModel]) async throws(ServerRefusal) {
        if let unknown = fields.keys.first(where: { !Self.known.contains($0) }) {
            throw .invalid("This server does not know the field “\(unknown)”.", param: unknown)
        }
        func field(_ name: String) -> String? { fields[name]?.last.flatMap { $0.isEmpty ? nil : $0 } }
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
        let granularities = (fields["timestamp_granularities[]"] ?? []) + (fields["timestamp_granularities"] ?? [])
        guard granularities.allSatisfy({ $0 == "word" || $0 == "segment" }) else {
            throw .invalid("A granularity is “word” or “segment”.", param: "timestamp_granularities")
        }
        guard granularities.isEmpty || format == .verbose else {
            throw .invalid(
                "Granularities need the response format “verbose_json”.", param: "timestamp_granularities")
        }
        hasWords = granularities.contains("word")
        hasSegments = granularities.isEmpty || granularities.contains("segment")
        let streams = ["true": true, "True": true, "1": true, "false": false, "False": false, "0": false]
        guard let isStreamed = streams[field("stream") ?? "false"] else {
            throw .invalid("“stream” must be “true” or “false”.", param: "stream")
        }
        self.isStreamed = isStreamed
        guard !isStreamed || format == .json || format == .text else {
            throw .invalid("A stream needs the response format “json”.", param: "stream")
        }
        guard fields["include[]"] == nil else {
            throw .invalid("This server has nothing to include.", param: "include")
        }
        guard ["auto", nil].contains(field("chunking_strategy")) else {
            throw .invalid("This server chooses its own chunking strategy.", param: "chunking_strategy")
        }

        options = .fileTranscription(try await model.locale(for: field("language")))
        let features = model.engine.capabilities.features
        options.wordTimes = hasWords || (format == .srt || format == .vtt) && features.contains(.wordTimes)
        options.contextualStrings = (field("prompt") ?? "").split { $0 == "," || $0.isNewline }
            .map { $0.trimmingPrefix { $0.isWhitespace } }.filter { !$0.isEmpty }
            .map { ContextualString(String($0)) }
        do throws(DictationError) {
            try model.engine.capabilities.validate(options, engine: model.name)
        } catch {
            let isPrompt = !options.contextualStrings.isEmpty && !features.contains(.contextualStrings)
            throw isPrompt
                ? .invalid("The model “\(model.name)” takes no prompt.", param: "prompt") : ServerRefusal(error)
        }
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

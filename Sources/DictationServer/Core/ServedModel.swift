public import DictationCore

/// An engine and the name under which a server offers it.
public struct ServedModel: Sendable {
    /// The name of the model, as clients ask for it.
    public var name: String
    /// Other names for it. The first model of a server also has those of OpenAI's models: see
    /// ``DictationServer/DictationServer/Configuration/takesOpenAINames``.
    public var aliases: [String]
    /// The engine. To protect the server from crashes of an engine, serve a `HelperEngine`.
    public var engine: any SpeechEngine
    /// The language for clients that name none; `nil` for the engine's first one.
    public var locale: SpeechLocale?

    /// Creates a model.
    public init(_ name: String, aliases: [String] = [], engine: any SpeechEngine, locale: SpeechLocale? = nil) {
        self.name = name
        self.aliases = aliases
        self.engine = engine
        self.locale = locale
    }
}

extension [ServedModel] {
    /// The names of OpenAI's models that transcribe, in its description of 2026-11. Clients have them in their code.
    static let openAINames = [
        "whisper-1", "gpt-transcribe", "gpt-live-transcribe", "gpt-realtime-whisper", "gpt-4o-transcribe",
        "gpt-4o-mini-transcribe", "gpt-4o-mini-transcribe-2025-12-15", "gpt-4o-transcribe-diarize",
    ]

    /// The same models, of which the first one also has the names of OpenAI's models that no model has.
    var withOpenAINames: [ServedModel] {
        let names = Set(flatMap { [$0.name] + $0.aliases })
        var models = self
        for index in models.indices.prefix(1) {
            models[index].aliases += Self.openAINames.filter { !names.contains($0) }
        }
        return models
    }
}

extension ServedModel {
    /// Returns the locale of the engine for a language such as `en`, or for a locale such as `en-US`.
    ///
    /// - Throws: A refusal for a language that the engine does not know. No other language takes its place.
    func locale(for language: String?) async throws(ServerRefusal) -> SpeechLocale {
        let locales = await engine.supportedLocales
        guard let language, !language.isEmpty else {
            guard let usual = locale ?? locales.first else { throw .invalid("The model “\(name)” has no language.") }
            return usual
        }
        let wanted = SpeechLocale(language)
        if locales.contains(wanted) { return wanted }
        if wanted.identifier == wanted.language {
            if let locale, locale.language == wanted.language { return locale }
            let usual = SpeechLocale.common(ofLanguage: wanted.language).first(where: locales.contains)
            if let found = usual ?? locales.first(where: { $0.language == wanted.language }) { return found }
        }
        let names = locales.map(\.identifier).joined(separator: ", ")
        throw .invalid(
            "The model “\(name)” does not know the language “\(wanted)”. It knows: \(names).", param: "language")
    }
}

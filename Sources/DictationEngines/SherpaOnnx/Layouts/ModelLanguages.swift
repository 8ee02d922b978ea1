import DictationCore

/// The languages of a model, as far as its files tell.
struct ModelLanguages: Sendable {
    /// The locales of the languages; empty if the files don't tell.
    let locales: [SpeechLocale]
    /// The codes of the languages that the model can be told; empty for a model that takes none.
    let codes: [String]
    /// Whether the model can find out the language by itself when it is told none.
    let canDetect: Bool

    init(_ files: ModelFiles) {
        let metadata = files.networks[0].metadata
        switch files.layout {
        case .whisper where metadata["is_multilingual"] == "1":
            codes = metadata["all_language_codes"]?.split(separator: ",").map(String.init) ?? []
            locales = codes.flatMap(Self.tags(ofWhisper:)).flatMap(SpeechLocale.common(ofLanguage:))
            canDetect = true
        case .whisper:
            (codes, canDetect) = ([], false)
            locales = SpeechLocale.common(ofLanguage: "en")
        case .senseVoice:
            codes = ["zh", "en", "ja", "ko", "yue"].filter { metadata["lang_" + $0] != nil }
            locales = codes.flatMap(SpeechLocale.common(ofLanguage:))
            canDetect = metadata["lang_auto"] != nil
        default:
            (codes, canDetect) = ([], false)
            // Not a path: the address of the model's page.
            let isParakeetV3 = metadata["url"]?.hasSuffix("/parakeet-tdt-0.6b-v3") == true
            locales = isParakeetV3 ? Self.parakeetV3.flatMap(SpeechLocale.common(ofLanguage:)) : []
        }
    }

    /// Returns the model's code for the language of a locale; `nil` if the model does not know the language.
    func code(for locale: SpeechLocale) -> String? {
        let language = locale.language
        let other = language == "nb" ? "no" : Self.tags.first { $0.value == language }?.key
        return [language, other].compactMap(\.self).first(where: codes.contains)
    }

    /// The tags of languages for which Whisper has a code of its own.
    private static let tags = ["jw": "jv", "tl": "fil"]

    private static func tags(ofWhisper code: String) -> [String] {
        code == "no" ? ["no", "nb"] : [tags[code] ?? code]
    }

    /// The languages of Parakeet v3, which recognizes the language by itself.
    private static let parakeetV3 = [
        "bg", "hr", "cs", "da", "nl", "en", "et", "fi", "fr", "de", "el", "hu", "it", "lv", "lt", "mt", "pl", "pt",
        "ro", "sk", "sl", "es", "sv", "ru", "uk",
    ]
}

extension SpeechLocale {
    /// Returns a language and its common regional forms. A model that is made for a language serves all of them.
    package static func common(ofLanguage language: String) -> [SpeechLocale] {
        let regions = regions[language] ?? ""
        return [SpeechLocale(language)] + regions.split(separator: " ").map { SpeechLocale("\(language)-\($0)") }
    }

    private static let regions = [
        "af": "ZA", "ar": "SA EG AE", "bg": "BG", "bn": "BD IN", "ca": "ES", "cs": "CZ", "cy": "GB", "da": "DK",
        "de": "DE AT CH", "el": "GR", "en": "US GB AU CA IE IN NZ ZA", "es": "ES MX US AR CO CL", "et": "EE",
        "eu": "ES", "fa": "IR", "fi": "FI", "fil": "PH", "fr": "FR CA BE CH", "gl": "ES", "he": "IL", "hi": "IN",
        "hr": "HR", "hu": "HU", "hy": "AM", "id": "ID", "is": "IS", "it": "IT CH", "ja": "JP", "ka": "GE", "kk": "KZ",
        "ko": "KR", "lt": "LT", "lv": "LV", "mk": "MK", "mr": "IN", "ms": "MY", "mt": "MT", "nb": "NO", "ne": "NP",
        "nl": "NL BE", "nn": "NO", "no": "NO", "pl": "PL", "pt": "PT BR", "ro": "RO", "ru": "RU", "sk": "SK",
        "sl": "SI", "sq": "AL", "sr": "RS", "sv": "SE FI", "sw": "KE TZ", "ta": "IN", "te": "IN", "th": "TH",
        "tr": "TR", "uk": "UA", "ur": "PK", "vi": "VN", "yue": "HK", "zh": "CN TW HK SG",
    ]
}

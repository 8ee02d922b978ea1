import DictationCore

extension ModelCatalog {
    /// Offline models, the best for a language first.
    static let sherpaOnnxOffline =
        [
            release(
                "nemo-parakeet-tdt-0.6b-v2-int8", "en", "Parakeet v2, English", offline, license: "CC-BY-4.0",
                byteCount: 661_190_513),
            release(
                "nemo-parakeet-tdt-0.6b-v3-int8",
                "bg hr cs da nl en et fi fr de el hu it lv lt mt pl pt ro sk sl es sv ru uk",
                "Parakeet v3, 25 languages of Europe", offline, license: "CC-BY-4.0", byteCount: 670_478_772),
            release(
                "sense-voice-zh-en-ja-ko-yue-int8-2025-09-09", "zh yue ja ko en",
                "SenseVoice: Chinese, Cantonese, Japanese, Korean and English", offline),
            release(
                "whisper-turbo", whisperLanguages + " yue", "Whisper large v3 turbo, 100 languages", offline,
                license: "MIT", byteCount: 1_036_613_791),
            release(
                "moonshine-base-en-quantized-2026-02-27", "en", "Moonshine base, English", offline, license: "MIT",
                byteCount: 141_300_566),
        ]
        + [("ja", "Japanese"), ("zh", "Chinese"), ("es", "Spanish"), ("uk", "Ukrainian"), ("vi", "Vietnamese")].map {
            release(
                "moonshine-base-\($0.0)-quantized-2026-02-27", $0.0, "Moonshine base, \($0.1)", offline,
                license: "Moonshine Community License")
        } + [
            release("whisper-small", whisperLanguages, "Whisper small, 99 languages", offline, license: "MIT"),
            release("whisper-base", whisperLanguages, "Whisper base, 99 languages", offline, license: "MIT"),
            release("whisper-tiny", whisperLanguages, "Whisper tiny, 99 languages", offline, license: "MIT"),
        ]

    /// Streaming models, the best for a language first.
    static let sherpaOnnxStreaming = [
        release("nemotron-speech-streaming-en-0.6b-int8-2026-01-14", "en", "Nemotron, English, streaming", streaming),
        release(
            "nemo-streaming-fast-conformer-transducer-en-480ms-int8", "en", "Fast Conformer, English, streaming",
            streaming),
        release("streaming-zipformer-en-2023-06-26", "en", "English", streaming, license: "Apache-2.0"),
        release("streaming-zipformer-en-20M-2023-02-17", "en", "English, small", streaming),
        release(
            "streaming-zipformer-bilingual-zh-en-2023-02-20", "zh en", "Chinese and English", streaming,
            license: "Apache-2.0"),
        release("streaming-zipformer-zh-int8-2025-06-30", "zh", "Chinese", streaming),
        release("streaming-zipformer-fr-kroko-2025-08-06", "fr", "French, Kroko", streaming),
        release("streaming-zipformer-fr-2023-04-14", "fr", "French", streaming),
        release("streaming-zipformer-de-kroko-2025-08-06", "de", "German, Kroko", streaming, byteCount: 71_051_473),
        release("streaming-zipformer-es-kroko-2025-08-06", "es", "Spanish, Kroko", streaming),
        release(
            "streaming-zipformer-small-ru-vosk-int8-2025-08-16", "ru", "Russian, small", streaming,
            license: "Apache-2.0"),
        release("streaming-zipformer-korean-2024-06-16", "ko", "Korean", streaming),
        release("streaming-zipformer-bn-vosk-2026-02-09", "bn", "Bengali", streaming),
        release(
            "streaming-zipformer-ar_en_id_ja_ru_th_vi_zh-2025-02-10", "ar id ja th vi ru zh en",
            "Arabic, Indonesian, Japanese, Thai, Vietnamese and others", streaming),
        release(
            "kws-zipformer-gigaspeech-3.3M-2024-01-01", "en", "English, for commands", streaming, page: "kws-models"),
    ]

    private static let offline: EngineID = "sherpa-onnx-offline"
    private static let streaming: EngineID = "sherpa-onnx"

    private static let whisperLanguages = """
        af am ar as az ba be bg bn bo br bs ca cs cy da de el en es et eu fa fi fil fo fr gl gu ha haw he hi hr ht hu hy id \
        is it ja jv ka kk km kn ko la lb ln lo lt lv mg mi mk ml mn mr ms mt my nb ne nl nn no oc pa pl ps pt ro ru sa sd \
        si sk sl sn so sq sr su sv sw ta te tg th tk tr tt uk ur uz vi yi yo zh
        """

    /// Returns a model of the releases of k2-fsa. The languages are separated by spaces.
    private static func release(
        _ label: String, _ languages: String, _ name: String, _ engine: EngineID, license: String? = nil,
        byteCount: Int64? = nil, page: String = "asr-models"
    ) -> CatalogModel {
        let folder = "sherpa-onnx-" + label
        return CatalogModel(
            id: folder.lowercased(), engine: engine,
            locales: languages.split(separator: " ").flatMap { SpeechLocale.common(ofLanguage: String($0)) },
            name: name, license: license, publisher: "k2-fsa", byteCount: byteCount,
            downloads: [
                .archive(
                    ["https://github.com/k2-fsa/sherpa-onnx/releases/download/\(page)/\(folder).tar.bz2"], root: folder)
            ],
            limits: .init(byteCount: 4 << 30, fileCount: 256))
    }
}

import DictationCore

extension ModelCatalog {
    /// The public models of PocketSphinx and sherpa-onnx.
    ///
    /// None of the files behind these addresses was at hand to be hashed, so none carries a hash: they show as
    /// unpinned, and install when the user says so. A licence is named where the publisher's own page was seen to name
    /// it.
    public static let builtIn = ModelCatalog(
        name: "Public models", models: [debianEnglish, sphinxEnglish, sphinxFrench] + zipformers)

    private static let debianEnglish = CatalogModel(
        id: "pocketsphinx-en-us-debian", engine: "pocketsphinx", locales: ["en-US"],
        name: "US English, as packaged", licence: "BSD-2-Clause",
        packaged: .init(name: "pocketsphinx-en-us", path: "/usr/share/pocketsphinx/model/en-us"))

    private static let sphinxEnglish = CatalogModel(
        id: "pocketsphinx-en-us", engine: "pocketsphinx", locales: ["en-US"], name: "US English",
        licence: "BSD-2-Clause",
        downloads: [
            "cmudict-en-us.dict", "en-us.lm.bin", "en-us/feat.params", "en-us/mdef", "en-us/means", "en-us/noisedict",
            "en-us/sendump", "en-us/transition_matrices", "en-us/variances",
        ].map { path in
            .file(
                ["https://raw.githubusercontent.com/cmusphinx/pocketsphinx/v5.0.4/model/en-us/" + path], as: path)
        },
        limits: .init(byteCount: 256 << 20, fileCount: 64))

    private static let sphinxFrench = CatalogModel(
        id: "pocketsphinx-fr", engine: "pocketsphinx", locales: ["fr-FR"], name: "French",
        downloads: [
            .archive([french("cmusphinx-fr-5.2.tar.gz")]),
            .file([french("fr.dict")], as: "fr.dict"),
            .file([french("fr-small.lm.bin")], as: "fr-small.lm.bin"),
        ],
        limits: .init(byteCount: 1 << 30, fileCount: 256))

    private static func french(_ file: String) -> String {
        "https://sourceforge.net/projects/cmusphinx/files/Acoustic%20and%20Language%20Models/French/\(file)/download"
    }

    private static let zipformers = [
        zipformer("streaming-zipformer-en-2023-06-26", ["en-US"], "English", licence: "Apache-2.0"),
        zipformer("streaming-zipformer-en-20M-2023-02-17", ["en-US"], "English, small"),
        zipformer(
            "streaming-zipformer-bilingual-zh-en-2023-02-20", ["zh-CN", "en-US"], "Chinese and English",
            licence: "Apache-2.0"),
        zipformer("streaming-zipformer-zh-int8-2025-06-30", ["zh-CN"], "Chinese"),
        zipformer("streaming-zipformer-fr-2023-04-14", ["fr-FR"], "French"),
        zipformer(
            "kws-zipformer-gigaspeech-3.3M-2024-01-01", ["en-US"], "English, for commands", release: "kws-models"),
    ]

    private static func zipformer(
        _ label: String, _ locales: [SpeechLocale], _ name: String, licence: String? = nil,
        release: String = "asr-models"
    ) -> CatalogModel {
        let folder = "sherpa-onnx-" + label
        return CatalogModel(
            id: folder.lowercased(), engine: "sherpa-onnx", locales: locales, name: name, licence: licence,
            downloads: [
                .archive(
                    ["https://github.com/k2-fsa/sherpa-onnx/releases/download/\(release)/\(folder).tar.bz2"],
                    root: folder)
            ],
            limits: .init(byteCount: 2 << 30, fileCount: 256))
    }
}

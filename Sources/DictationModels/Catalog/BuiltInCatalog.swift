import DictationCore

extension ModelCatalog {
    /// The public models of PocketSphinx and sherpa-onnx.
    ///
    /// PocketSphinx's own English model is pinned: its hashes were taken from the packages of PocketSphinx 5.0.4, which
    /// contain the same files. Moonshine, the library of sherpa-onnx and the speech detectors are pinned by the hashes of their wheels. The
    /// other files were not available for hashing, so their models are unpinned and install only with the user's consent.
    /// A license or a size is given only where a source names it. Among the models of an engine, the best one for a
    /// language comes first.
    public static let builtIn = ModelCatalog(
        name: "Public models",
        models: [debianEnglish, sphinxEnglish, sphinxFrench, moonshine] + sherpaOnnxOffline + sherpaOnnxStreaming
            + [sherpaOnnxLibrary, speechDetectors])

    private static let debianEnglish = CatalogModel(
        id: "pocketsphinx-en-us-debian", engine: "pocketsphinx", locales: ["en-US"],
        name: "US English, as packaged", license: "BSD-2-Clause", publisher: "CMU Sphinx",
        packaged: .init(name: "pocketsphinx-en-us", path: "/usr/share/pocketsphinx/model/en-us"))

    private static let sphinxEnglish = CatalogModel(
        id: "pocketsphinx-en-us", engine: "pocketsphinx", locales: ["en-US"], name: "US English",
        license: "BSD-2-Clause",
        publisher: "CMU Sphinx",
        downloads: sphinxEnglishFiles.map { path, byteCount, hash in
            .file(
                ["https://raw.githubusercontent.com/cmusphinx/pocketsphinx/v5.0.4/model/en-us/" + path], as: path,
                sha256: hash, byteCount: byteCount)
        },
        files: sphinxEnglishFiles.map { path, byteCount, hash in
            CatalogModel.File(path: path, sha256: hash, byteCount: byteCount)
        },
        limits: .init(byteCount: 256 << 20, fileCount: 64))

    private static let sphinxEnglishFiles: [(path: String, byteCount: Int64, sha256: String)] = [
        ("cmudict-en-us.dict", 3_273_623, "cb01cf8b6a47f5a97ed46b01e96ea8a924d07d1abfd770f787836013df8537da"),
        ("en-us.lm.bin", 27_114_385, "db21d0642286677699e6dbc859d2e5395570222361999387ce60f6e1d01995d6"),
        ("en-us/feat.params", 164, "c982c5f75e2a30c34d2c9ef1f6b129a5a00e67e3e927565076b58664cc2404c9"),
        ("en-us/mdef", 2_959_176, "2360f9a86889c1cfee8bd618a0269387911e5fb2920a594f506b18b8c79683b0"),
        ("en-us/means", 838_732, "832019e32cac12eb318964f96f469034acb12d0348eeddc3831831a100cb4dd4"),
        ("en-us/noisedict", 56, "7295b07df2c204c4f87c6782b6be1a3859d7006d4e3864181c955d6dab105a33"),
        ("en-us/sendump", 1_969_024, "8c9564c0d5bef69ca9d9bf1014abe162f071644cf02cf1fa8a483c3dc165a7a8"),
        ("en-us/transition_matrices", 2_080, "c1f7f28ea43177be734be1f88bd7f1b9a853d0e660f8599c67c6eaeca8bb539a"),
        ("en-us/variances", 838_732, "b00d696f85e96834fc10f8e5f06428d8c4db6bffdbe5845b6f69bf6efbc48fa5"),
    ]

    private static let sphinxFrench = CatalogModel(
        id: "pocketsphinx-fr", engine: "pocketsphinx", locales: ["fr-FR"], name: "French", publisher: "CMU Sphinx",
        downloads: [
            .archive([french("cmusphinx-fr-5.2.tar.gz")]),
            .file([french("fr.dict")], as: "fr.dict"),
            .file([french("fr-small.lm.bin")], as: "fr-small.lm.bin"),
        ],
        limits: .init(byteCount: 1 << 30, fileCount: 256))

    private static func french(_ file: String) -> String {
        "https://sourceforge.net/projects/cmusphinx/files/Acoustic%20and%20Language%20Models/French/\(file)/download"
    }

    private static let moonshine = CatalogModel(
        id: "moonshine-tiny-en", engine: "sherpa-onnx-offline", locales: ["en-US", "en-GB"],
        name: "Moonshine tiny, English", license: "MIT", publisher: "Moonshine AI",
        downloads: [
            .wheel(
                .init(
                    package: "moonshine-voice", version: "0.1.0",
                    // The packages for all platforms contain the same model.
                    builds: [
                        .init(
                            platform: "manylinux_2_34_x86_64",
                            sha256: "0f833deb43bad5dcfb4cfd3257b6df83ef9abd3f27be3199622fe41932e8d916",
                            byteCount: 56_369_045)
                    ],
                    members: [
                        moonshineMember("encoder_model.ort"), moonshineMember("decoder_model_merged.ort"),
                        moonshineMember("tokenizer.bin", as: "tokens.txt", .moonshineTokens),
                    ]))
        ],
        files: [
            CatalogModel.File(
                path: "encoder_model.ort",
                sha256: "94e90a4654fc45cdfedb77c4c08e1739f48862998e58fada384b25118134f221", byteCount: 13_281_600),
            CatalogModel.File(
                path: "decoder_model_merged.ort",
                sha256: "cf524c4862d36e9e5ab032eddc73637efd822d70e868ac575cf1a46e1e4708a0", byteCount: 30_412_256),
            CatalogModel.File(
                path: "tokens.txt",
                sha256: "e8a91b8d1630cdad2f92186abd3d9f47232ce7bd31dab9f7a3edb9ac1b44574e", byteCount: 549_362),
        ])

    private static func moonshineMember(
        _ name: String, as file: String? = nil, _ conversion: CatalogModel.Wheel.Conversion? = nil
    ) -> CatalogModel.Wheel.Member {
        .init(path: "moonshine_voice/assets/tiny-en/" + name, file: file ?? name, conversion: conversion)
    }

    private static let speechDetectors = CatalogModel(
        id: "speech-detectors", engine: "sherpa-onnx-offline", locales: [], name: "Silero VAD 6 and smart-turn 3.2",
        license: "MIT AND BSD-2-Clause", publisher: "Silero and Daily",
        downloads: [
            .wheel(
                .init(
                    package: "pipecat-ai", version: "1.14.0",
                    builds: [
                        .init(
                            platform: "any",
                            sha256: "0352f504b44e78bdf524e45af4bc759601c835b9b7dc195efe5e03384b974a44",
                            byteCount: 12_109_725)
                    ],
                    members: [
                        .init(path: "pipecat/audio/vad/data/silero_vad.onnx", file: "silero_vad.onnx"),
                        .init(
                            path: "pipecat/audio/turn/smart_turn/data/smart-turn-v3.2-cpu.onnx", file: "smart-turn.onnx"
                        ),
                    ]))
        ],
        files: [
            CatalogModel.File(
                path: "silero_vad.onnx",
                sha256: "1a153a22f4509e292a94e67d6f9b85e8deb25b4988682b7e174c65279d8788e3", byteCount: 2_327_524),
            CatalogModel.File(
                path: "smart-turn.onnx",
                sha256: "2bb026316b14a660486a75b1733cd3fbab8c2fd0314dc9af7be49f8cca967e4f", byteCount: 8_679_182),
        ],
        kind: .detectors)

    private static let sherpaOnnxLibrary = CatalogModel(
        id: "sherpa-onnx-library", engine: "sherpa-onnx", locales: [], name: "sherpa-onnx 2.0.1",
        license: "Apache-2.0", publisher: "k2-fsa",
        byteCount: CatalogModel.Wheel.machine == "aarch64" ? 39_050_328 : 31_919_121,
        downloads: [
            .wheel(
                .init(
                    package: "sherpa-onnx-core", version: "2.0.1",
                    builds: [
                        .init(
                            platform: "manylinux2014_x86_64", machine: "x86_64",
                            sha256: "f4ee0ab91c4ae596e0e49d7de32522a946295e038a652f1c1884d89014ee4ec2",
                            byteCount: 10_544_878),
                        .init(
                            platform: "manylinux2014_aarch64", machine: "aarch64",
                            sha256: "4a855a5c89c89885111e4e9c570e5da1aed63373c031b757d8046792d95fe8fe",
                            byteCount: 13_257_723),
                    ],
                    members: ["libsherpa-onnx-c-api.so", "libonnxruntime.so"].map {
                        .init(path: "sherpa_onnx/lib/" + $0, file: $0)
                    }))
        ],
        kind: .library)
}

// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "benchmarks",
    dependencies: [
        .package(
            name: "swift-dictation", path: "..", traits: ["PocketSphinx", "SherpaOnnx", "SampleRate", "SoundFile"])
    ],
    targets: [
        .systemLibrary(name: "CSampleRateLibrary", pkgConfig: "samplerate"),
        // What Swift is compared with, and what counts allocations.
        .target(name: "CBench", dependencies: ["CSampleRateLibrary"]),
        // What both programs do with recordings.
        .target(name: "BenchSpeech", dependencies: [.product(name: "DictationCore", package: "swift-dictation")]),
        .systemLibrary(name: "CSphinxLibrary", pkgConfig: "pocketsphinx"),
        .target(name: "CBareLoop", dependencies: ["CSphinxLibrary"]),
        .executableTarget(
            name: "sphinx-benchmark",
            dependencies: [
                "BenchSpeech", "CBareLoop",
                .product(name: "DictationCore", package: "swift-dictation"),
                .product(name: "DictationEngines", package: "swift-dictation"),
                .product(name: "DictationCapture", package: "swift-dictation"),
            ]),
        .executableTarget(
            name: "Bench",
            dependencies: [
                "BenchSpeech", "CBench",
                .product(name: "DictationCore", package: "swift-dictation"),
                .product(name: "DictationEngines", package: "swift-dictation"),
                .product(name: "DictationCapture", package: "swift-dictation"),
                .product(name: "DictationTesting", package: "swift-dictation"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)

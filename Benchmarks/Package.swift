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
        .systemLibrary(name: "CSphinxLibrary", pkgConfig: "pocketsphinx"),
        .systemLibrary(name: "CSherpaLibrary", pkgConfig: "sherpa-onnx"),
        // What Swift is compared with, and what counts allocations.
        .target(name: "CBench", dependencies: ["CSampleRateLibrary"]),
        .target(name: "CBareLoop", dependencies: ["CSphinxLibrary"]),
        .executableTarget(name: "sherpa-reference", dependencies: ["CSherpaLibrary"], path: "Reference"),
        // What both programs do.
        .target(
            name: "BenchSpeech",
            dependencies: [
                .product(name: "DictationCore", package: "swift-dictation"),
                .product(name: "DictationCapture", package: "swift-dictation"),
            ]),
        .executableTarget(
            name: "recognition-benchmark",
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

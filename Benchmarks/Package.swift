// swift-tools-version: 6.2

import PackageDescription

/// What the library is used through.
let library: [Target.Dependency] = [
    "DictationCore", "DictationEngines", "DictationCapture",
].map { .product(name: $0, package: "swift-dictation") }

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
        .target(name: "BenchSpeech", dependencies: library),
        .executableTarget(name: "recognition-benchmark", dependencies: library + ["BenchSpeech", "CBareLoop"]),
        .executableTarget(
            name: "Bench",
            dependencies: library + [
                "BenchSpeech", "CBench", .product(name: "DictationTesting", package: "swift-dictation"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)

// swift-tools-version: 6.2

import PackageDescription

/// The products of swift-dictation that the benchmarks use.
let library: [Target.Dependency] = [
    "DictationCore", "DictationEngines", "DictationCapture", "DictationText", "DictationBatch", "DictationRemote",
    "DictationServer",
].map { .product(name: $0, package: "swift-dictation") }

let package = Package(
    name: "benchmarks",
    dependencies: [
        .package(
            name: "swift-dictation", path: "..",
            traits: ["PocketSphinx", "ALSA", "SampleRate", "SoundFile", "Remote", "Server"])
    ],
    targets: [
        .systemLibrary(name: "CSampleRateLibrary", pkgConfig: "samplerate"),
        .systemLibrary(name: "CSphinxLibrary", pkgConfig: "pocketsphinx"),
        // The loops in C for comparison, and the counter of allocations.
        .target(name: "CBench", dependencies: ["CSampleRateLibrary"]),
        .target(name: "CBareLoop", dependencies: ["CSphinxLibrary"]),
        // The code that both programs share.
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

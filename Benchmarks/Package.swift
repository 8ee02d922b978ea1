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
        .executableTarget(
            name: "Bench",
            dependencies: [
                "CBench",
                .product(name: "DictationCore", package: "swift-dictation"),
                .product(name: "DictationEngines", package: "swift-dictation"),
                .product(name: "DictationCapture", package: "swift-dictation"),
                .product(name: "DictationTesting", package: "swift-dictation"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)

// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "voice-notes",
    products: [.library(name: "VoiceNotes", targets: ["VoiceNotes"])],
    // Without traits, the app and its tests need no C library. Remove `traits: []` for a real microphone and engine.
    dependencies: [.package(name: "swift-dictation", path: "../..", traits: [])],
    targets: [
        .target(
            name: "VoiceNotes",
            dependencies: [.product(name: "DictationCore", package: "swift-dictation")]),
        .executableTarget(
            name: "voice-notes",
            dependencies: [
                "VoiceNotes",
                .product(name: "DictationCore", package: "swift-dictation"),
                .product(name: "DictationEngines", package: "swift-dictation"),
                .product(name: "DictationCapture", package: "swift-dictation"),
            ]),
        .testTarget(
            name: "VoiceNotesTests",
            dependencies: [
                "VoiceNotes",
                .product(name: "DictationCore", package: "swift-dictation"),
                .product(name: "DictationEngines", package: "swift-dictation"),
                .product(name: "DictationCapture", package: "swift-dictation"),
                .product(name: "DictationTesting", package: "swift-dictation"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)

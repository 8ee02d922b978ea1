// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "consumer",
    dependencies: [.package(name: "swift-dictation", path: "../../..", traits: [])],
    targets: [
        .executableTarget(
            name: "consumer",
            dependencies: [
                .product(name: "DictationCore", package: "swift-dictation"),
                .product(name: "DictationEngines", package: "swift-dictation"),
                .product(name: "DictationModels", package: "swift-dictation"),
                .product(name: "DictationCapture", package: "swift-dictation"),
                .product(name: "DictationService", package: "swift-dictation"),
                .product(name: "DictationDesktop", package: "swift-dictation"),
                .product(name: "DictationText", package: "swift-dictation"),
                .product(name: "DictationRemote", package: "swift-dictation"),
                .product(name: "DictationServer", package: "swift-dictation"),
                .product(name: "DictationBatch", package: "swift-dictation"),
                .product(name: "DictationTesting", package: "swift-dictation"),
            ])
    ],
    swiftLanguageModes: [.v6]
)

// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "pocketsphinx-benchmark",
    dependencies: [.package(name: "swift-dictation", path: "../..", traits: ["PocketSphinx", "SoundFile"])],
    targets: [
        .systemLibrary(name: "CSphinxLibrary", pkgConfig: "pocketsphinx"),
        .target(name: "CBareLoop", dependencies: ["CSphinxLibrary"]),
        .executableTarget(
            name: "sphinx-benchmark",
            dependencies: [
                "CBareLoop",
                .product(name: "DictationCore", package: "swift-dictation"),
                .product(name: "DictationEngines", package: "swift-dictation"),
                .product(name: "DictationCapture", package: "swift-dictation"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)

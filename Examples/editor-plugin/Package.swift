// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "editor-plugin",
    products: [.executable(name: "editor-plugin", targets: ["editor-plugin"])],
    // It only talks to the service, so it needs no C library.
    dependencies: [.package(name: "swift-dictation", path: "../..", traits: [])],
    targets: [
        .target(
            name: "EditorPlugin",
            dependencies: [
                .product(name: "DictationCore", package: "swift-dictation"),
                .product(name: "DictationDesktop", package: "swift-dictation"),
                .product(name: "DictationService", package: "swift-dictation"),
            ]),
        .executableTarget(
            name: "editor-plugin",
            dependencies: ["EditorPlugin", .product(name: "DictationService", package: "swift-dictation")]),
        .testTarget(
            name: "EditorPluginTests",
            dependencies: [
                "EditorPlugin",
                .product(name: "DictationCore", package: "swift-dictation"),
                .product(name: "DictationEngines", package: "swift-dictation"),
                .product(name: "DictationCapture", package: "swift-dictation"),
                .product(name: "DictationService", package: "swift-dictation"),
                .product(name: "DictationTesting", package: "swift-dictation"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)

// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "plugin",
    products: [.library(name: "plugin", type: .dynamic, targets: ["plugin"])],
    dependencies: [.package(name: "swift-dictation", path: "../../..", traits: [])],
    targets: [
        .target(
            name: "plugin",
            dependencies: [
                .product(name: "DictationCore", package: "swift-dictation"),
                .product(name: "DictationEngines", package: "swift-dictation"),
                // Built beside the plugin.
                .product(name: "dictation-helper", package: "swift-dictation"),
            ])
    ],
    swiftLanguageModes: [.v6]
)

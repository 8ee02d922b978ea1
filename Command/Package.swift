// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "dictate",
    products: [.executable(name: "dictate", targets: ["dictate"])],
    dependencies: [.package(name: "swift-dictation", path: "..")],
    targets: [
        // The whole command, as a library for tests.
        .target(
            name: "DictateCommand",
            dependencies: [
                .product(name: "DictationCore", package: "swift-dictation"),
                .product(name: "DictationEngines", package: "swift-dictation"),
                .product(name: "DictationModels", package: "swift-dictation"),
                .product(name: "DictationCapture", package: "swift-dictation"),
                .product(name: "DictationService", package: "swift-dictation"),
                .product(name: "DictationDesktop", package: "swift-dictation"),
                .product(name: "DictationRemote", package: "swift-dictation"),
                .product(name: "DictationServer", package: "swift-dictation"),
                .product(name: "DictationBatch", package: "swift-dictation"),
                .product(name: "DictationText", package: "swift-dictation"),
            ]),
        .executableTarget(name: "dictate", dependencies: ["DictateCommand"]),
        .testTarget(
            name: "DictateCommandTests",
            dependencies: [
                "DictateCommand",
                .product(name: "DictationCore", package: "swift-dictation"),
                .product(name: "DictationText", package: "swift-dictation"),
                .product(name: "DictationTesting", package: "swift-dictation"),
            ]),
        // Runs the built program.
        .testTarget(name: "EndToEndTests", dependencies: ["dictate"], resources: [.copy("Fixtures")]),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    ]
}

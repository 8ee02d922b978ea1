// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "minimal",
    dependencies: [.package(name: "swift-dictation", path: "../..")],
    targets: [
        .executableTarget(name: "minimal", dependencies: [.product(name: "Dictation", package: "swift-dictation")])
    ],
    swiftLanguageModes: [.v6]
)

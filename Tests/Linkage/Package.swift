// swift-tools-version: 6.2

import PackageDescription

// Builds the package in `Consumer` and looks at what comes out; depends on nothing itself.
let package = Package(
    name: "Linkage",
    targets: [.testTarget(name: "LinkageTests")],
    swiftLanguageModes: [.v6]
)

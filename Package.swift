// swift-tools-version: 6.2
// 6.2 is the lowest version that knows `NonisolatedNonsendingByDefault` and `@concurrent`; traits need 6.1.

import PackageDescription

let package = Package(
    name: "swift-dictation",
    products: [
        .library(name: "Dictation", targets: ["Dictation"]),
        .library(name: "DictationCore", targets: ["DictationCore"]),
        .library(name: "DictationEngines", targets: ["DictationEngines"]),
        .library(name: "DictationModels", targets: ["DictationModels"]),
        .library(name: "DictationCapture", targets: ["DictationCapture"]),
        .library(name: "DictationText", targets: ["DictationText"]),
        .library(name: "DictationService", targets: ["DictationService"]),
        .library(name: "DictationDesktop", targets: ["DictationDesktop"]),
        .library(name: "DictationRemote", targets: ["DictationRemote"]),
        .library(name: "DictationServer", targets: ["DictationServer"]),
        .library(name: "DictationBatch", targets: ["DictationBatch"]),
        .library(name: "DictationTesting", targets: ["DictationTesting"]),
        // Tries a model for a program that can't be its own helper; see `DictationHelper`.
        .executable(name: "dictation-helper", targets: ["dictation-helper"]),
    ],
    // Each trait brings one C library in. A consumer that says `traits: []` needs none of them.
    traits: [
        .trait(
            name: "PocketSphinx",
            description: "PocketSphinxEngine. Debian: libpocketsphinx-dev, and pocketsphinx-en-us for a model."),
        .trait(name: "ALSA", description: "ALSACapturer. Debian: libasound2-dev."),
        .trait(name: "SampleRate", description: "SampleRateConverter. Debian: libsamplerate0-dev."),
        .trait(name: "SoundFile", description: "AudioFileReader and FileCapturer. Debian: libsndfile1-dev."),
        .trait(
            name: "ModelCatalog",
            description: "CatalogAssetInventory. Debian: libarchive-dev, libcurl4-openssl-dev and libsodium-dev."),
        .trait(name: "Captions", description: "CaptionsServer. Debian: libmicrohttpd-dev."),
        .trait(
            name: "SystemBus",
            description:
                "BusListener, IBusKeyboard, SleepGuard, ShortcutKey and ServiceManager. Debian: libsystemd-dev."),
        .trait(
            name: "Remote",
            description: "Engines of DictationRemote. Debian: libcurl4-openssl-dev and libwslay-dev."),
        .trait(name: "Server", description: "DictationServer. Debian: libmicrohttpd-dev and libwslay-dev."),
        .trait(name: "Batch", description: "Compressed manifests of DictationBatch. Debian: libarchive-dev."),
        .default(
            enabledTraits: [
                "PocketSphinx", "ALSA", "SampleRate", "SoundFile", "ModelCatalog", "Captions", "SystemBus", "Remote",
                "Server", "Batch",
            ]),
    ],
    targets: [
        .target(name: "DictationCore"),
        // The machine room: everything below the domain, each thing once. No product, so that no app depends on it.
        .target(name: "DictationSystem", dependencies: ["DictationCore", "CSystem"]),
        .target(name: "CSystem"),
        // A client of HTTP for downloads and for engines on servers; no product.
        .target(
            name: "DictationWeb",
            dependencies: [
                "DictationCore", .target(name: "CCurl", condition: .when(traits: ["ModelCatalog", "Remote"])),
            ]),
        // Knows no engine: what checks an engine's models is passed in.
        .target(
            name: "DictationModels",
            dependencies: [
                "DictationCore",
                "DictationSystem",
                "DictationWeb",
                .target(name: "CArchive", condition: .when(traits: ["ModelCatalog", "Batch"])),
                .target(name: "CSodium", condition: .when(traits: ["ModelCatalog"])),
            ]),
        .target(
            name: "DictationEngines",
            dependencies: [
                "DictationCore",
                "DictationSystem",
                "DictationModels",
                // A helper also decodes recordings.
                "DictationCapture",
                "CDictationHelper",
                "COnnxRuntime",
                "CSherpaOnnx",
                .target(name: "CPocketSphinx", condition: .when(traits: ["PocketSphinx"])),
            ]),
        .target(
            name: "DictationCapture",
            dependencies: [
                "DictationCore",
                "DictationSystem",
                "CDictationHelper",
                .target(name: "CALSA", condition: .when(traits: ["ALSA"])),
                .target(name: "CSampleRate", condition: .when(traits: ["SampleRate"])),
                .target(name: "CSoundFile", condition: .when(traits: ["SoundFile"])),
            ]),
        .target(name: "DictationText", dependencies: ["DictationCore", "DictationSystem"]),
        // One warm session for many programs. An app that only dictates doesn't need it.
        .target(
            name: "DictationService", dependencies: ["DictationCore", "DictationSystem", "DictationText", "CSystem"]),
        // What a desktop adds to a service.
        .target(
            name: "DictationDesktop",
            dependencies: [
                "DictationCore", "DictationSystem", "DictationService", "DictationHTTP", "DictationText", "CSystem",
                .target(name: "CSystemd", condition: .when(traits: ["SystemBus"])),
            ]),
        // A server of HTTP for the page of captions and for DictationServer; no product.
        .target(
            name: "DictationHTTP",
            dependencies: [
                "DictationCore", "DictationSystem", "CSystem",
                .target(name: "CMicroHTTPD", condition: .when(traits: ["Captions", "Server"])),
            ]),
        // What a client of a speech server and the server both speak; no product.
        .target(
            name: "DictationMessages",
            dependencies: [
                "DictationCore", "DictationSystem", "DictationText",
                .target(name: "CWslay", condition: .when(traits: ["Remote", "Server"])),
            ]),
        // Engines on other machines.
        .target(
            name: "DictationRemote",
            dependencies: [
                "DictationCapture", "DictationCore", "DictationEngines", "DictationMessages", "DictationSystem",
                "DictationText", "DictationWeb", "CSystem",
            ]),
        // The server that makes this machine one.
        .target(
            name: "DictationServer",
            dependencies: [
                "DictationCapture", "DictationCore", "DictationHTTP", "DictationMessages", "DictationSystem",
                "DictationText", "CSystem",
            ]),
        // Thousands of recordings, on as many machines as there are.
        .target(
            name: "DictationBatch",
            dependencies: [
                "DictationCore", "DictationSystem", "DictationModels", "DictationText",
            ]),
        .target(name: "DictationTesting", dependencies: ["DictationCore"]),
        // One import for apps.
        .target(
            name: "Dictation",
            dependencies: [
                "DictationCapture", "DictationCore", "DictationEngines", "DictationModels", "DictationText",
            ]),
        .executableTarget(name: "dictation-helper", dependencies: ["DictationEngines"]),
        .target(name: "CDictationHelper"),
        // Declares sherpa-onnx, which programs open when they run.
        .target(name: "CSherpaOnnx"),
        // Runs a network with ONNX Runtime, which programs open when they run.
        .target(name: "COnnxRuntime"),

        .systemLibrary(
            name: "CPocketSphinx", pkgConfig: "pocketsphinx", providers: [.apt(["libpocketsphinx-dev"])]),
        .systemLibrary(name: "CALSA", pkgConfig: "alsa", providers: [.apt(["libasound2-dev"])]),
        .systemLibrary(name: "CSampleRate", pkgConfig: "samplerate", providers: [.apt(["libsamplerate0-dev"])]),
        .systemLibrary(name: "CSoundFile", pkgConfig: "sndfile", providers: [.apt(["libsndfile1-dev"])]),
        .systemLibrary(name: "CArchive", pkgConfig: "libarchive", providers: [.apt(["libarchive-dev"])]),
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(
            name: "CMicroHTTPD", pkgConfig: "libmicrohttpd", providers: [.apt(["libmicrohttpd-dev"])]),
        // libwslay has no file for pkg-config.
        .systemLibrary(name: "CWslay", providers: [.apt(["libwslay-dev"])]),
        .systemLibrary(name: "CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
        .systemLibrary(name: "CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"])]),

        // Installs a model in a process of its own, for the tests that kill it.
        .executableTarget(
            name: "CatalogInstallProbe", dependencies: ["DictationCore", "DictationModels", "CFullDisk"],
            path: "Tests/CatalogInstallProbe"),
        .target(name: "CFullDisk", path: "Tests/CFullDisk"),
        // A program that is its own helper.
        .executableTarget(
            name: "HelperProbe",
            dependencies: ["DictationCapture", "DictationCore", "DictationEngines", "DictationTesting"],
            path: "Tests/HelperProbe"),
        // Installs random archives in a process of its own, which can be shut in.
        .executableTarget(
            name: "CatalogFuzzProbe",
            dependencies: [
                "DictationCore", "DictationModels", "CConfinement",
                .target(name: "CArchive", condition: .when(traits: ["ModelCatalog"])),
            ],
            path: "Tests/CatalogFuzzProbe"),
        .target(name: "CConfinement", path: "Tests/CConfinement"),
        .testTarget(
            name: "DictationCoreTests",
            dependencies: [
                "DictationCore", "DictationEngines", "DictationCapture", "DictationTesting", "TestSupport",
            ]),
        .testTarget(
            name: "DictationSystemTests", dependencies: ["DictationCore", "DictationSystem", "DictationTesting"]),
        .testTarget(
            name: "DictationEnginesTests",
            dependencies: [
                "DictationCore", "DictationEngines", "DictationCapture", "DictationModels", "DictationTesting",
                "HelperProbe", "dictation-helper", "DictationSystem", "TestSupport",
            ],
            exclude: ["SherpaOnnx/Detectors/Fixtures"]),
        .testTarget(
            name: "DictationModelsTests",
            dependencies: [
                "DictationCore", "DictationModels", "DictationTesting", "CatalogInstallProbe", "CatalogFuzzProbe",
                "DictationSystem", "DictationWeb", "TestSupport",
                .target(name: "CArchive", condition: .when(traits: ["ModelCatalog"])),
                .target(name: "CSodium", condition: .when(traits: ["ModelCatalog"])),
            ]),
        // A process of its own for the capture tests: to be killed, to be measured.
        .executableTarget(
            name: "CaptureProbe", dependencies: ["DictationCore", "DictationCapture", "CAllocationCount"],
            path: "Tests/CaptureProbe"),
        .target(name: "TestSupport", dependencies: ["DictationCore"], path: "Tests/TestSupport"),
        .target(name: "CAllocationCount", path: "Tests/CAllocationCount"),
        .testTarget(
            name: "DictationCaptureTests",
            dependencies: [
                "DictationCore", "DictationEngines", "DictationCapture", "DictationTesting", "CaptureProbe",
                "DictationSystem", "TestSupport", "CDictationHelper", "dictation-helper",
                .target(name: "CSampleRate", condition: .when(traits: ["SampleRate"])),
            ]),
        .testTarget(
            name: "DictationTextTests",
            dependencies: ["DictationCore", "DictationEngines", "DictationTesting", "DictationText", "TestSupport"],
            exclude: ["Golden"]),
        .testTarget(
            name: "DictationServiceTests",
            dependencies: [
                "DictationCore", "DictationEngines", "DictationCapture", "DictationService", "DictationDesktop",
                "DictationTesting", "DictationText", "DictationSystem", "TestSupport",
                .target(name: "CSystemd", condition: .when(traits: ["SystemBus"])),
            ],
            exclude: ["Delivery/Fields", "Keyboard/Programs"]),
        // A server in a process of its own, which can be killed.
        .executableTarget(
            name: "ServerProbe",
            dependencies: ["DictationCore", "DictationEngines", "DictationServer"],
            path: "Tests/ServerProbe"),
        .testTarget(
            name: "DictationRemoteTests",
            dependencies: [
                "DictationCore", "DictationEngines", "DictationCapture", "DictationRemote", "DictationServer",
                "DictationMessages", "DictationTesting", "ServerProbe", "CSystem", "DictationSystem", "DictationText",
                "DictationHTTP", "DictationWeb", "TestSupport",
                .target(name: "CCurl", condition: .when(traits: ["Remote"])),
                .target(name: "CWslay", condition: .when(traits: ["Remote", "Server"])),
            ]),
        .testTarget(
            name: "DictationBatchTests",
            dependencies: [
                "DictationCore", "DictationEngines", "DictationCapture", "DictationBatch", "DictationTesting",
                "DictationText", "DictationSystem", "TestSupport",
            ]),
        .testTarget(
            name: "DictationTestingTests",
            dependencies: ["DictationCore", "DictationEngines", "DictationCapture", "DictationTesting"]),
        .testTarget(
            name: "DictationFuzzTests",
            dependencies: [
                "DictationCore", "DictationEngines", "DictationCapture", "DictationModels", "DictationSystem",
                "DictationRemote", "DictationMessages", "DictationTesting", "CDictationHelper", "dictation-helper",
            ],
            exclude: ["Corpus"]),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets where target.type != .system {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    ]
}

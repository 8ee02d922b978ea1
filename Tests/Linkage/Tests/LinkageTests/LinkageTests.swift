import Foundation
import Testing

/// What a program that depends on the package with `traits: []` needs at build time and at run time.
///
/// Each C header is hidden behind one that refuses to be read, and pkg-config finds nothing. That works for every user
/// and beside installed headers, which a mount or a move of the headers would not.
@Suite(.serialized) struct LinkageTests {
    @Test func aConsumerWithoutTraitsBuildsWithoutAnyCHeader() throws {
        let build = try Consumer.build.get()
        #expect(build.status == 0, "\(build.output)")
        #expect(!build.output.contains("warning:"), "\(build.output)")
    }

    @Test func itRuns() throws {
        let run = try Consumer.executable().run()
        #expect(run.status == 0)
        #expect(run.output == "no C library needed\n")
    }

    @Test func itLinksTheSwiftAndCRuntimesAlone() throws {
        let libraries = try linkedLibraries(of: Consumer.executable().path)
        #expect(libraries.contains("libswiftCore.so"))
        #expect(libraries.filter { !isRuntime($0) } == [])
    }

    /// The control of the test above.
    @Test func aLinkedCLibraryWouldBeSeen() throws {
        let libraries = try linkedLibraries(of: "/usr/bin/pocketsphinx_continuous")
        #expect(libraries.contains { $0.hasPrefix("libpocketsphinx") && !isRuntime($0) })
    }

    /// The control of the first test: whoever imports one of the C modules meets the refusal.
    @Test(arguments: cModules()) func aHiddenHeaderCannotBeRead(module: String) throws {
        let program = FileManager.default.temporaryDirectory.appending(path: "import-\(module).swift")
        try "import \(module)\n".write(to: program, atomically: true, encoding: .utf8)
        // A module of an earlier run may have been made with another header.
        let modules = FileManager.default.temporaryDirectory.appending(path: "modules-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: modules) }
        let compiler = try Command(
            "swiftc",
            ["-typecheck", program.path, "-I", "\(Paths.package)/Sources/\(module)"] + Poison.flags()
                + ["-module-cache-path", modules.path])
        let compilation = try compiler.run()
        #expect(compilation.status != 0)
        #expect(compilation.output.contains(Poison.refusal), "\(compilation.output)")
    }

    @Test(arguments: gatedTypes) func aTypeWhoseTraitIsOffSaysWhichToEnable(type: GatedType) throws {
        try #require(try Consumer.build.get().status == 0)
        let program = FileManager.default.temporaryDirectory.appending(path: "use-\(type.name).swift")
        try "import DictationCore\nimport \(type.module)\nlet value = \(type.use)\n"
            .write(to: program, atomically: true, encoding: .utf8)
        // SwiftPM makes the module maps of C code of ours, and hands them to those who build with it.
        let moduleMaps = ["CSystem", "CDictationHelper", "COnnxRuntime", "CSherpaOnnx"].flatMap {
            ["-Xcc", "-fmodule-map-file=\(Consumer.products)/\($0).build/module.modulemap"]
        }
        let compilation = try Command(
            "swiftc", ["-typecheck", program.path, "-I", "\(Consumer.products)/Modules"] + moduleMaps
        ).run()
        #expect(compilation.status != 0)
        #expect(compilation.output.contains("is unavailable"), "\(compilation.output)")
        #expect(!compilation.output.contains("inaccessible"), "\(compilation.output)")
        #expect(compilation.output.contains("Enable the “\(type.trait)” trait"), "\(compilation.output)")
    }
}

/// A type that needs a C library.
struct GatedType: CustomTestStringConvertible {
    let name: String
    let module: String
    let trait: String
    /// What a reader of the documentation would write.
    let use: String

    var testDescription: String { name }
}

let gatedTypes = [
    GatedType(
        name: "ALSACapturer", module: "DictationCapture", trait: "ALSA", use: "ALSACapturer() as any AudioCapturer"),
    GatedType(
        name: "AudioFileReader", module: "DictationCapture", trait: "SoundFile",
        use: "try AudioFileReader(path: \"talk.flac\")"),
    GatedType(
        name: "FileCapturer", module: "DictationCapture", trait: "SoundFile",
        use: "FileCapturer(path: \"talk.flac\", pacing: .live) as any AudioCapturer"),
    GatedType(
        name: "SampleRateConverter", module: "DictationCapture", trait: "SampleRate",
        use: "try SampleRateConverter(from: .speech, to: .speech)"),
    GatedType(
        name: "SampleRateConverter.Provider", module: "DictationCapture", trait: "SampleRate",
        use: "SampleRateConverter.Provider() as any FormatConverterProvider"),
    GatedType(
        name: "CatalogAssetInventory", module: "DictationModels", trait: "ModelCatalog",
        use: "CatalogAssetInventory(validators: [:]) as any AssetInventory"),
    GatedType(
        name: "CaptionsServer", module: "DictationDesktop", trait: "Captions", use: "CaptionsServer.self"),
    GatedType(name: "DictationServer", module: "DictationServer", trait: "Server", use: "try DictationServer([])"),
    GatedType(name: "RemoteEngine", module: "DictationRemote", trait: "Remote", use: "RemoteEngine.self"),
    GatedType(name: "ServiceManager", module: "DictationDesktop", trait: "SystemBus", use: "ServiceManager()"),
    GatedType(
        name: "PocketSphinxEngine", module: "DictationEngines", trait: "PocketSphinx",
        use: "PocketSphinxEngine(retention: .processLifetime) as any SpeechEngine"),
]

private func linkedLibraries(of executable: String) throws -> [String] {
    let listing = try Command("ldd", [executable]).run()
    try #require(listing.status == 0, "\(listing.output)")
    return listing.output.split(separator: "\n").compactMap { line in
        line.split(whereSeparator: \.isWhitespace).first.map { String($0.split(separator: "/").last ?? $0) }
    }
}

/// Whether a library comes with Swift, or with C and C++ themselves.
private func isRuntime(_ library: String) -> Bool {
    let ofC = [
        "linux-vdso.", "ld-linux", "libc.", "libm.", "libdl.", "librt.", "libpthread.", "libgcc_s.", "libstdc++.",
    ]
    let ofSwift = [
        "libswift", "lib_Foundation", "libFoundation", "libdispatch.", "libBlocksRuntime.", "libTesting.",
        "lib_Testing",
    ]
    return (ofC + ofSwift).contains { library.hasPrefix($0) }
}

/// Every folder of `Sources` that shows a C library to Swift.
private func cModules() -> [String] {
    let sources = "\(Paths.package)/Sources"
    let modules = try? FileManager.default.contentsOfDirectory(atPath: sources)
        .filter { FileManager.default.fileExists(atPath: "\(sources)/\($0)/module.modulemap") }
    // With no module the test would have no case, and pass.
    return modules.flatMap { $0.isEmpty ? nil : $0.sorted() } ?? ["no C module in \(sources)"]
}

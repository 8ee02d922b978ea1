import DictationCore
import DictationTesting
import Foundation
import TestSupport
import Testing

@testable import DictationEngines

/// Finding and loading the library sherpa-onnx, in a process that a damaged library might end.
@Suite(.ownThread) struct LibraryTests {
    private static let library = "libsherpa-onnx-c-api.so"
    private static let runtime = "libonnxruntime.so"

    /// What is wrong with an installed library, and the error that says so.
    struct Damage: CustomTestStringConvertible {
        let testDescription: String
        var code = DictationError.Code.libraryInvalid
        let words: [String]
        let make: @Sendable (HelperFolder) throws -> Void

        init(
            _ name: String, _ words: String..., code: DictationError.Code = .libraryInvalid,
            make: @escaping @Sendable (HelperFolder) throws -> Void
        ) {
            (testDescription, self.words, self.code, self.make) = (name, words, code, make)
        }
    }

    private static func installed(_ name: String) throws -> Data {
        try Data(contentsOf: SherpaFixtures.library().appending(path: name))
    }

    private static func install(
        in folder: HelperFolder, library: Data? = nil, runtime: Data? = nil
    ) throws {
        try (library ?? installed(Self.library)).write(to: URL(filePath: folder.path(Self.library)))
        try (runtime ?? installed(Self.runtime)).write(to: URL(filePath: folder.path(Self.runtime)))
    }

    private static func changed(_ name: String, at place: Int, to byte: UInt8) throws -> Data {
        var data = try installed(name)
        data[place] = byte
        return data
    }

    /// The size of the part of a file that its truncated copy keeps. The last few bytes of a file may be filling.
    private static let cuts: [@Sendable (Int) -> Int] = [
        { _ in 0 }, { _ in 63 }, { _ in 64 }, { _ in 4_096 }, { $0 / 2 }, { $0 - 16 },
    ]

    /// Damage that is found without another process.
    static let seen: [Damage] =
        cuts.indices.map { cut in
            Damage("a library cut short \(cut)", Self.library, "it is cut short") { folder in
                let whole = try installed(Self.library)
                try install(in: folder, library: whole.prefix(cuts[cut](whole.count)))
            }
        }
        + cuts.indices.map { cut in
            Damage("a runtime cut short \(cut)", Self.runtime, "it is cut short") { folder in
                let whole = try installed(Self.runtime)
                try install(in: folder, runtime: whole.prefix(cuts[cut](whole.count)))
            }
        }
        + [
            Damage("an empty folder", "There is no", code: .libraryNotInstalled) { _ in },
            Damage("a text", "it is not a library") {
                try install(in: $0, library: Data(String(repeating: "not a library\n", count: 100).utf8))
            },
            Damage("a library for another processor", "another kind of processor") {
                try install(in: $0, library: changed(Self.library, at: 18, to: 8))
            },
            Damage("a runtime for another processor", Self.runtime, "another kind of processor") {
                try install(in: $0, runtime: changed(Self.runtime, at: 18, to: 8))
            },
            Damage("a library of 32 bits", "another kind of processor") {
                try install(in: $0, library: changed(Self.library, at: 4, to: 1))
            },
            Damage("a program", "it is not a shared library") {
                try install(in: $0, library: changed(Self.library, at: 16, to: 2))
            },
            Damage("swapped files", "it is not sherpa-onnx") {
                try install(in: $0, library: installed(Self.runtime), runtime: installed(Self.library))
            },
            Damage("a library in place of the runtime", "can't load it") {
                try install(in: $0, runtime: installed(Self.library))
            },
            Damage("no runtime", "can't load it", Self.runtime) { folder in
                try installed(Self.library).write(to: URL(filePath: folder.path(Self.library)))
            },
            Damage("an older version", "1.12.40", "1.13.0 to 2.0.1", "Install sherpa-onnx 2.0.1") {
                _ = try $0.library("char *SherpaOnnxGetVersionStr(void) { return \"1.12.40\"; }", Self.library)
            },
            Damage("a newer version", "2.0.2", "1.13.0 to 2.0.1") {
                _ = try $0.library("char *SherpaOnnxGetVersionStr(void) { return \"2.0.2\"; }", Self.library)
            },
            Damage("no version", "is sherpa-onnx latest, but only") {
                _ = try $0.library("char *SherpaOnnxGetVersionStr(void) { return \"latest\"; }", Self.library)
            },
            Damage("too few functions", "it has no function “SherpaOnnxCreateOnlineRecognizer”") {
                _ = try $0.plainLibrary("char *SherpaOnnxGetVersionStr(void) { return \"2.0.1\"; }", Self.library)
            },
        ]

    /// Damage that ends a process which loads the library.
    static let fatal: [Damage] = [
        Damage("code that ends the process", "it ended the process that checked it") {
            _ = try $0.library("__attribute__((constructor)) static void begin(void) { abort(); }", Self.library)
        },
        Damage("a version that ends the process", "it ended the process that checked it") {
            _ = try $0.library("char *SherpaOnnxGetVersionStr(void) { return (char *)1; }", Self.library)
        },
        Damage("tables of random bytes", "does not work") { folder in
            var data = try installed(Self.library)
            var random = SplitMix64(seed: 7)
            for place in 4_096..<100_000 { data[place] = .random(in: 0...255, using: &random) }
            try install(in: folder, library: data)
        },
    ]

    private static func check(_ printed: String, _ damage: Damage) {
        let lines = printed.split(separator: "\n")
        #expect(lines.count == 1 && lines.first?.hasPrefix("\(damage.code): ") == true, "\(printed)")
        for word in damage.words { #expect(printed.contains(word), "\(printed)") }
        #expect(printed.contains("EngineFinder.setup() installs"), "\(printed)")
    }

    @Test(arguments: seen + fatal) func aLibraryThatCannotWorkIsAnErrorAndTheProcessLives(_ damage: Damage) throws {
        let folder = try HelperFolder()
        try damage.make(folder)
        let run = try folder.run(
            folder.copy(of: "HelperProbe", in: "own"), ["library"],
            environment: ["DICTATION_SHERPA_ONNX": folder.path("")])
        #expect(run.status == 0, "\(run)")
        Self.check(run.output, damage)
        #expect(!FileManager.default.fileExists(atPath: folder.path("cache/swift-dictation")))
    }

    @Test(arguments: seen) func aProgramWithoutAHelperSeesTheSameDamage(_ damage: Damage) throws {
        let folder = try HelperFolder()
        try damage.make(folder)
        let run = try folder.run(
            folder.copy(of: "HelperProbe", in: "own"), ["library"],
            environment: ["DICTATION_SHERPA_ONNX": folder.path(""), "PROBE_FORGETS": "1", "PATH": "/nonexistent"])
        #expect(run.status == 0, "\(run)")
        Self.check(run.output, damage)
    }

    /// The library is missing, then of a wrong version, then right, and the process stays the same.
    @Test func aLibraryThatIsInstalledLaterIsUsedWithoutARestart() throws {
        let folder = try HelperFolder()
        let process = Process()
        process.executableURL = URL(filePath: try folder.copy(of: "HelperProbe", in: "own"))
        process.arguments = ["library"]
        process.environment = ProcessInfo.processInfo.environment.merging([
            "DICTATION_SHERPA_ONNX": folder.path("lib"), "XDG_CACHE_HOME": folder.path("cache"),
        ]) { $1 }
        let (input, output) = (Pipe(), Pipe())
        (process.standardInput, process.standardOutput) = (input, output)
        try process.run()
        func answer() -> String {
            var line = Data()
            while let byte = try? output.fileHandleForReading.read(upToCount: 1), !byte.isEmpty, byte[0] != 0x0A {
                line += byte
            }
            return String(decoding: line, as: UTF8.self)
        }
        func ask() throws -> String {
            try input.fileHandleForWriting.write(contentsOf: Data("again\n".utf8))
            return answer()
        }
        try #require(answer().hasPrefix("libraryNotInstalled: "))
        try FileManager.default.createDirectory(atPath: folder.path("lib"), withIntermediateDirectories: true)
        _ = try folder.library("char *SherpaOnnxGetVersionStr(void) { return \"1.9.0\"; }", "lib/" + Self.library)
        try #require(try ask().contains("is sherpa-onnx 1.9.0"))
        try FileManager.default.removeItem(atPath: folder.path("lib/" + Self.library))
        try #require(try ask().hasPrefix("libraryNotInstalled: "))
        for name in [Self.runtime, Self.library] {
            try Self.installed(name).write(to: URL(filePath: folder.path("lib/" + name)))
        }
        let loaded = "loaded 2.0.1 \(folder.path("lib/" + Self.library))"
        try #require(try ask() == loaded)
        // A library that is loaded stays.
        try FileManager.default.removeItem(atPath: folder.path("lib"))
        try #require(try ask() == loaded)
        try input.fileHandleForWriting.close()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }

    @Test func aLibraryIsCheckedOncePerVersionOfItsFiles() throws {
        let folder = try HelperFolder()
        let program = try folder.copy(of: "HelperProbe", in: "own")
        try Self.install(in: folder)
        for _ in 1...2 {
            let run = try folder.run(
                program, ["library"], environment: ["DICTATION_SHERPA_ONNX": folder.path("")])
            #expect(run.output.hasPrefix("loaded 2.0.1"), "\(run)")
        }
        let remembered = try FileManager.default.contentsOfDirectory(
            atPath: folder.path("cache/swift-dictation/sherpa-onnx"))
        #expect(remembered.count == 1)
    }

    @Test func thePlacesAreSearchedInOrder() throws {
        let folder = try HelperFolder()
        let folders = ["first", "second", "third"].map(folder.path)
        for name in ["second", "third"] {
            try FileManager.default.createDirectory(atPath: folder.path(name), withIntermediateDirectories: true)
            try Data().write(to: URL(filePath: folder.path(name + "/" + Self.library)))
        }
        var places = LibraryPlaces(folders: folders)
        let found = ["second", "third"].map { folder.path($0 + "/" + Self.library) }
        #expect(try places.files() == found + [Self.library])
        places.asksLoader = false
        #expect(try places.files() == found)
        for chosen in [folder.path("second"), found[0]] {
            places.chosen = chosen
            #expect(try places.files() == [found[0]])
        }
        places.chosen = folder.path("first")
        #expect { try places.files() } throws: { ($0 as? DictationError)?.code == .libraryNotInstalled }
    }

    /// What to do stands in the middle of some sentences and at the beginning of others.
    @Test func theAdviceIsPartOfItsSentence() {
        let errors: [DictationError] = [
            .noLibrary(), .noLibrary(in: "/x"), .badLibrary("/x", "it is damaged"),
            .unsupportedLibrary("/x", version: "9.0.0"),
        ]
        for error in errors {
            #expect(error.recovery?.contains(#/[:,] Run /#) == false, "\(error)")
            #expect(error.recovery?.contains("EngineFinder.setup() installs the library.") == true, "\(error)")
        }
    }

    @Test func theStandardPlacesAreThoseOfTheInstallers() throws {
        let folders = LibraryPlaces.standard(chosen: nil).folders
        #expect(folders.contains { $0.hasSuffix("/swift-dictation/models/sherpa-onnx-library") })
        #expect(folders.contains { $0.hasSuffix("/swift-dictation/sherpa-onnx/lib") })
        #expect(folders.last == "/usr/local/lib")
        #expect(LibraryPlaces.standard(chosen: "/mine").chosen == "/mine")
    }

    /// The next place is tried when the library in the first does not work, and the first error is the one to show.
    @Test func aBrokenLibraryDoesNotHideTheNext() throws {
        let folder = try HelperFolder()
        try FileManager.default.createDirectory(atPath: folder.path("broken"), withIntermediateDirectories: true)
        try Data("no".utf8).write(to: URL(filePath: folder.path("broken/" + Self.library)))
        let whole = try SherpaFixtures.library().path
        let places = LibraryPlaces(folders: [folder.path("broken"), whole], asksLoader: false)
        #expect(try SherpaOnnxLibrary.load(from: places).path == whole + "/" + Self.library)
        #expect {
            try SherpaOnnxLibrary.load(from: LibraryPlaces(folders: [folder.path("broken")], asksLoader: false))
        } throws: {
            ($0 as? DictationError)?.code == .libraryInvalid
        }
        #expect {
            try SherpaOnnxLibrary.load(from: LibraryPlaces(folders: [], asksLoader: false))
        } throws: {
            ($0 as? DictationError)?.code == .libraryNotInstalled
        }
    }

    @Test(arguments: [
        ("2.0.1", true), ("1.13.0", true), ("1.13.10", true), ("2.0.2", false), ("1.12.40", false), ("3.0.0", false),
        ("2.0", false), ("2.0.1.1", false), ("2.0.x", false), ("2.-1.0", false), ("", false),
    ])
    func theSupportedVersionsAreARange(_ version: String, isSupported: Bool) {
        let known = LibraryVersion(version)
        let range = SherpaOnnxLibrary.oldest...SherpaOnnxLibrary.newest
        #expect(known.map(range.contains) ?? false == isSupported)
    }
}

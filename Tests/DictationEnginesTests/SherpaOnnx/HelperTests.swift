#if SherpaOnnx
import DictationCore
import Foundation
import TestSupport
import Testing

@testable import DictationEngines

/// The helper that checks a new model, and what the model may not do there.
@Suite struct HelperTests {
    /// What a C library does that a hostile model has in its hands, and a word of the error that must come of it.
    struct Deed: CustomTestStringConvertible {
        let name: String
        let code: String
        let word: String
        /// The signal or exit code that the error tells of.
        let status: Int
        var testDescription: String { name }
    }

    /// Answers as a helper of any version would give them, but for the nonce.
    private static let forged = #"""
        const char forged[] = "\nsherpa-onnx-trial:works:\n"
            "{\"nonce\":\"\",\"outcome\":{\"works\":{}}}\n{\"outcome\":{\"works\":{}}}\n";
        """#

    static let deeds = [
        Deed(
            name: "prints a verdict and is ended by a signal",
            code: "write(1, forged, sizeof forged); write(2, forged, sizeof forged); abort();",
            word: "ended the process", status: Int(SIGABRT)),
        Deed(
            name: "prints a verdict and exits in order",
            code: "write(1, forged, sizeof forged); write(2, forged, sizeof forged); _exit(0);",
            word: "ended the process", status: 0),
        Deed(
            name: "answers on every descriptor without knowing the nonce",
            code: "for (int i = 0; i < 20; i++) write(i, forged, sizeof forged); _exit(0);",
            word: "ended the process", status: 0),
        Deed(name: "exits with a code", code: "_exit(3);", word: "ended the process", status: 3),
        Deed(name: "makes nothing", code: "return 0;", word: "can't load it", status: 0),
        Deed(
            name: "wants more memory than its size tells of",
            code: "return malloc(6L << 30) ? 0 : (abort(), (void *)0);", word: "ended the process",
            status: Int(SIGABRT)),
        Deed(
            name: "prints what a terminal obeys", code: #"dprintf(2, "what(): \033[31m\u202eevil\n"); abort();"#,
            word: #"\u{1b}[31m\u{202e}evil"#, status: Int(SIGABRT)),
    ]

    @Test(arguments: deeds) func aModelCannotForgeTheVerdictOfItsTrial(_ deed: Deed) throws {
        let folder = try HelperFolder()
        let library = try folder.library(
            "\(Self.forged)\nvoid *SherpaOnnxCreateOnlineRecognizer(void *config) { \(deed.code) }")
        let model = try SherpaOnnxModel(folder: SherpaFixtures.modelFolder())
        let memory = folder.path("memory")
        let trial = ModelCheck(model: model, memory: memory, helper: try folder.helper(with: library))
        for _ in 1...2 {
            let error = try #require(throws: DictationError.self) { try trial.run() }
            #expect(error.code == .modelInvalid)
            #expect(error.description.contains(deed.word), "\(error)")
            #expect(error.underlying?.code == deed.status, "\(error)")
        }
        #expect(!FileManager.default.fileExists(atPath: memory))
    }

    @Test func aRequestOfAnotherVersionIsRefused() throws {
        var request = HelperRequest(library: SherpaOnnxLibrary.loadedVersion, kind: .transducer, files: [])
        request.version = 2
        let helper = try HelperProgram.path()
        guard
            case .ended(.unable(let reason), 0, _) = try HelperProcess.run(
                request, program: helper, within: .seconds(60))
        else {
            Issue.record("The helper did not answer.")
            return
        }
        #expect(reason.contains("not 2"))
    }

    @Test func aLibraryOfAnotherVersionIsRefusedInARealProcess() throws {
        let folder = try HelperFolder()
        let library = try folder.library("const char *SherpaOnnxGetVersionStr(void) { return \"1.9.0\"; }")
        let model = try SherpaOnnxModel(folder: SherpaFixtures.modelFolder())
        let trial = ModelCheck(model: model, memory: nil, helper: try folder.helper(with: library))
        #expect { try trial.run() } throws: { "\($0)".contains("1.9.0") }
    }

    @Test(arguments: ["#!/bin/sh\nexit 0\n", "#!/bin/sh\ncat <&3 >&3\n", "no program"])
    func whatIsNoHelperIsSaid(_ program: String) throws {
        let folder = try HelperFolder()
        let model = try SherpaOnnxModel(folder: SherpaFixtures.modelFolder())
        let helper = try folder.executable("helper", program)
        #expect(throws: DictationError.self) { try ModelCheck(model: model, memory: nil, helper: helper).run() }
    }

    /// A path that a loader or a shell would take apart.
    @Test(arguments: ["plain", "with space", "with:colon", "with\nnewline", "with 'quote"])
    func aProgramIsItsOwnHelperWhereverItLies(_ place: String) throws {
        let folder = try HelperFolder()
        let program = try folder.copy(of: "HostProbe", in: place)
        let run = try folder.run(program, ["prepare", SherpaFixtures.modelFolder()])
        #expect(run.output == "prepared\n", "\(run)")
        // Its own `main`, and none in the helper.
        #expect(try folder.mains() == 1)
    }

    @Test func aHelperOfAProgramThatForgetsItStartsNoOther() throws {
        let folder = try HelperFolder()
        let program = try folder.copy(of: "HostProbe", in: "own")
        let run = try folder.run(
            program, ["prepare", SherpaFixtures.modelFolder()],
            environment: ["PROBE_FORGETS": SherpaFixtures.modelFolder(), "DICTATION_HELPER": program])
        #expect(run.status == 1)
        #expect(run.output.contains("does not work"), "\(run)")
        #expect(try folder.mains() == 2)
    }

    @Test func aProgramThatIgnoresItsChildrenLoadsModels() throws {
        let folder = try HelperFolder()
        let program = try folder.copy(of: "HostProbe", in: "own")
        let run = try folder.run(
            program, ["prepare", SherpaFixtures.modelFolder()], environment: ["PROBE_IGNORES_CHILDREN": "1"])
        #expect(run.output == "prepared\n", "\(run)")
    }

    @Test func withoutAHelperTheErrorSaysHowToHaveOne() throws {
        let folder = try HelperFolder()
        let program = try folder.copy(of: "HostProbe", in: "alone")
        let model = try SherpaFixtures.modelFolder()
        let run = try folder.run(
            program, ["prepare", model], environment: ["PROBE_FORGETS": model, "PATH": "/nonexistent:."])
        #expect(run.status == 1)
        #expect(run.output.contains("DictationHost.runIfAsked()"), "\(run)")
    }

    @Test(arguments: ["HostProbe", "dictation-helper"])
    func noVariableOfTheEnvironmentEndsAProgramBeforeMain(_ name: String) throws {
        let folder = try HelperFolder()
        let program = try folder.copy(of: name, in: "own")
        let run = try folder.run(
            program, ["prepare", "/nonexistent"], environment: ["SWIFT_DICTATION_SHERPA_TRIAL": "transducer"])
        #expect(run.status != 0, "\(run)")
    }

    @Test func aNamesOnlyFileTakesLittleMemory() throws {
        let folder = try HelperFolder()
        // 16,000 outputs with names of 64 kB each: a gigabyte, which packs into 100 kB.
        let name = Data([0x0A, 0xF8, 0xFF, 0x03] + [UInt8](repeating: 0x61, count: 0xFFF8))
        let output = Data([0x62, 0xFC, 0xFF, 0x03]) + name
        let file = folder.path("encoder.onnx")
        #expect(FileManager.default.createFile(atPath: file, contents: nil))
        let handle = try #require(FileHandle(forWritingAtPath: file))
        let count = 16_000
        // The graph's field and its length.
        let length = count * output.count
        let digits: [UInt8] = (0..<5).map { place in
            let digit = UInt8(length >> (place * 7) & 0x7F)
            return place < 4 ? digit | 0x80 : digit
        }
        try handle.write(contentsOf: Data([0x3A] + digits))
        for _ in 0..<count { try handle.write(contentsOf: output) }
        try handle.close()
        let run = try folder.run(folder.copy(of: "HostProbe", in: "own"), ["check", folder.path("")])
        let parts = run.output.split(whereSeparator: \.isWhitespace)
        #expect(parts.first == "refused", "\(run)")
        #expect(parts.last.flatMap { Int($0) }.map { $0 < 100 } == true, "\(run)")
    }
}

/// A folder with programs and libraries that a test made.
private final class HelperFolder {
    private let url = FileManager.default.temporaryDirectory.appending(path: "helper-\(UUID())")

    init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(at: url) }

    func path(_ name: String) -> String { url.path + "/" + name }

    func executable(_ name: String, _ text: String) throws -> String {
        try Data(text.utf8).write(to: url.appending(path: name))
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path(name))
        return path(name)
    }

    func library(_ code: String) throws -> String {
        let source = url.appending(path: "library.c")
        let includes = ["stdio.h", "stdlib.h", "unistd.h"].map { "#include <\($0)>\n" }.joined()
        try Data((includes + code + "\n").utf8).write(to: source)
        try SherpaFixtures.run(["cc", "-shared", "-fPIC", source.path, "-o", path("library.so")])
        return path("library.so")
    }

    /// The helper, with another library in front of its own.
    func helper(with library: String) throws -> String {
        let helper = try Self.built("dictation-helper")
        return try executable("helper", "#!/bin/sh\nLD_PRELOAD='\(library)' exec '\(helper)' \"$@\"\n")
    }

    func copy(of name: String, in place: String) throws -> String {
        let folder = url.appending(path: place)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let copy = folder.appending(path: name)
        // By a process of its own: what this one writes may be open in a child that another test starts just then.
        try SherpaFixtures.run(["cp", Self.built(name), copy.path])
        return copy.path
    }

    /// How often `main` of a probe was reached.
    func mains() throws -> Int {
        try String(contentsOfFile: path("mains"), encoding: .utf8).split(separator: "\n").count
    }

    func run(
        _ program: String, _ arguments: [String], environment: [String: String] = [:]
    ) throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        // Nothing is known there of models that worked before.
        let own = ["PROBE_LOG": path("mains"), "XDG_CACHE_HOME": path("cache")]
        process.environment = ProcessInfo.processInfo.environment.merging(own) { $1 }.merging(environment) { $1 }
        let output = Pipe()
        process.standardOutput = output
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: data, as: UTF8.self))
    }

    /// A program of the package, which lies beside that of the tests.
    private static func built(_ name: String) throws -> String {
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let path = URL(filePath: own).deletingLastPathComponent().appending(path: name).path
        try #require(
            FileManager.default.isExecutableFile(atPath: path),
            "\(path) was not built; run swift build --build-tests.")
        return path
    }
}
#endif

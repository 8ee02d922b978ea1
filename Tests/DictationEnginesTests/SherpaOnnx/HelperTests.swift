import DictationCore
import DictationSystem
import Foundation
import TestSupport
import Testing

@testable import DictationEngines

/// The helper that checks a new model, and what the model may not do there.
@Suite(.ownThread) struct HelperTests {
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
            word: "disturbed the process", status: 0),
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
        let model = try SherpaOnnxEngine.Model(folder: SherpaFixtures.modelFolder())
        let memory = folder.path("memory")
        let trial = ModelCheck(
            model: model, memory: WorkingFiles(folder: memory), library: .init(path: library, version: "2.0.1"))
        for _ in 1...2 {
            let error = try #require(throws: DictationError.self) { try trial.run() }
            #expect(error.code == .modelInvalid)
            #expect(error.description.contains(deed.word), "\(error)")
            #expect(error.underlying?.code == deed.status, "\(error)")
        }
        #expect(!FileManager.default.fileExists(atPath: memory))
    }

    @Test func aRequestOfAnotherVersionIsRefused() throws {
        let trial = HelperTrial(library: .init(path: "/nowhere"))
        let end = try trial.run(by: HelperProgram.path(), within: .seconds(60), version: 1)
        #expect(end.outcome == nil && end.death.isNoHelper, "\(end)")
    }

    @Test func aLibraryOfAnotherVersionIsRefusedInARealProcess() throws {
        let folder = try HelperFolder()
        let library = try folder.library("const char *SherpaOnnxGetVersionStr(void) { return \"1.9.0\"; }")
        let model = try SherpaOnnxEngine.Model(folder: SherpaFixtures.modelFolder())
        let trial = ModelCheck(
            model: model, memory: WorkingFiles(folder: nil), library: .init(path: library, version: "2.0.1"))
        #expect { try trial.run() } throws: { "\($0)".contains("1.9.0") }
    }

    @Test(arguments: ["#!/bin/sh\nexit 0\n", "#!/bin/sh\ncat <&3 >&3\n", "no program"])
    func whatIsNoHelperIsSaid(_ program: String) throws {
        let folder = try HelperFolder()
        let model = try SherpaOnnxEngine.Model(folder: SherpaFixtures.modelFolder())
        let helper = try folder.executable("helper", program)
        let check = ModelCheck(model: model, memory: WorkingFiles(folder: nil), helper: helper)
        #expect(throws: DictationError.self) { try check.run() }
    }

    /// A path that a loader or a shell would take apart.
    @Test(arguments: ["plain", "with space", "with:colon", "with\nnewline", "with 'quote"])
    func aProgramIsItsOwnHelperWhereverItLies(_ place: String) throws {
        let folder = try HelperFolder()
        let program = try folder.copy(of: "HelperProbe", in: place)
        let run = try folder.run(program, ["prepare", SherpaFixtures.modelFolder()])
        #expect(run.output == "prepared\n", "\(run)")
        // Its own `main`, and none in the helper.
        #expect(try folder.mains() == 1)
    }

    @Test func aHelperOfAProgramThatForgetsItStartsNoOther() throws {
        let folder = try HelperFolder()
        let program = try folder.copy(of: "HelperProbe", in: "own")
        let model = try SherpaFixtures.modelFolder()
        let variables = "PROBE_FORGETS=\(model)\nPROBE_LOG=\(folder.path("mains"))\n"
        try Data(variables.utf8).write(to: URL(filePath: folder.path("own/variables")))
        let run = try folder.run(program, ["prepare", model], environment: ["DICTATION_HELPER": program])
        #expect(run.status == 1)
        #expect(run.output.contains("does not work"), "\(run)")
        #expect(try folder.mains() == 2)
    }

    @Test func aProgramThatIgnoresItsChildrenLoadsModels() throws {
        let folder = try HelperFolder()
        let program = try folder.copy(of: "HelperProbe", in: "own")
        let run = try folder.run(
            program, ["prepare", SherpaFixtures.modelFolder()], environment: ["PROBE_IGNORES_CHILDREN": "1"])
        #expect(run.output == "prepared\n", "\(run)")
    }

    @Test func withoutAHelperTheErrorSaysHowToHaveOne() throws {
        let folder = try HelperFolder()
        let program = try folder.copy(of: "HelperProbe", in: "alone")
        let model = try SherpaFixtures.modelFolder()
        let run = try folder.run(
            program, ["prepare", model], environment: ["PROBE_FORGETS": model, "PATH": "/nonexistent:."])
        #expect(run.status == 1)
        #expect(run.output.contains("DictationHelper.runIfAsked()"), "\(run)")
    }

    @Test(arguments: ["HelperProbe", "dictation-helper"])
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
        let run = try folder.run(folder.copy(of: "HelperProbe", in: "own"), ["check", folder.path("")])
        let parts = run.output.split(whereSeparator: \.isWhitespace)
        #expect(parts.first == "refused", "\(run)")
        #expect(parts.last.flatMap { Int($0) }.map { $0 < 100 } == true, "\(run)")
    }
}

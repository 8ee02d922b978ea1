import DictationCore
import DictationTesting
import Foundation
import TestSupport
import Testing

@testable import DictationEngines

/// Damaged models in a helper: an error that says what to do, and the program lives.
@Suite(.ownThread) struct HelperDamageTests {
    @Test func aModelThatAbortsIsBlamed() async throws {
        let model = try ModelCopy()
        defer { model.delete() }
        let damaged = try SherpaFixtures.models().appending(path: "damaged/encoder.int8.onnx")
        try model.write(Data(contentsOf: damaged), "encoder.int8.onnx")
        let error = try #require(await model.errorInAHelper())
        #expect(error.code == .modelInvalid)
        #expect(error.message.contains(model.folder.path), "\(error)")
        #expect(error.underlying?.code == Int(SIGABRT), "\(error)")
        #expect(error.recovery != nil)
    }

    @Test(arguments: SherpaModelTests.Damage.allCases)
    func damageIsAnErrorOfTheHelper(_ damage: SherpaModelTests.Damage) async throws {
        let model = try ModelCopy()
        defer { model.delete() }
        // As if the damage came after the program had looked at the files.
        let description = try model.description()
        try damage.apply(to: model)
        let error = try #require(await model.errorInAHelper(description))
        #expect([.modelInvalid, .modelNotInstalled, .fileUnreadable].contains(error.code), "\(error)")
        #expect(error.message.contains(damage.word), "\(error)")
        #expect(error.recovery != nil)
    }
}

#if PocketSphinx
/// PocketSphinx ends its process when it meets an error that it calls fatal.
@Suite(.serialized, .ownThread) struct HelperExitProofTests {
    /// As if a file changed after the helper had checked it: PocketSphinx gets another one.
    @Test func aModelThatMakesPocketSphinxExitIsBlamed() throws {
        let copy = try SphinxModelCopy()
        let damaged = copy.folder.appending(path: "en-us/damaged")
        try SphinxModelCopy.withoutChecksum("means").write(to: damaged)
        let output = try output(
            of: ["helper-model", "pocketsphinx:" + copy.folder.path],
            with: """
                FILE *fopen(const char *path, const char *mode) {
                    FILE *(*next)(const char *, const char *) = dlsym(RTLD_NEXT, "fopen");
                    size_t length = strlen(path);
                    int is_means = length > 6 && strcmp(path + length - 6, "/means") == 0;
                    return next(is_means ? "\(damaged.path)" : path, mode);
                }
                """)
        #expect(output.contains("can't load the model in “\(copy.folder.path)”"), "\(output)")
        #expect(output.contains("ended with code 1") && output.contains("chksum"), "\(output)")
        #expect(output.contains("Install the model again"), "\(output)")
    }

    @Test func anExitWhileDecodingIsAnError() throws {
        let folder = try HelperFolder()
        let samples = try Speech.goForward.samples()
        try Data(samples.withUnsafeBytes { Array($0) }).write(to: URL(filePath: folder.path("audio")))
        let output = try output(
            of: ["helper-text", "pocketsphinx:" + SphinxModelCopy.installed, folder.path("audio")],
            with: "int ps_process_cep() { exit(1); }")
        #expect(output.contains("The engine's process died: it ended with code 1"), "\(output)")
        #expect(output.contains("another model"), "\(output)")
    }

    /// Runs a program whose helper uses some functions in place of those of the libraries.
    private func output(of arguments: [String], with code: String) throws -> String {
        let folder = try HelperFolder()
        let functions = try folder.plainLibrary(
            "#define _GNU_SOURCE\n#include <dlfcn.h>\n#include <string.h>\n" + code, "functions.so")
        let run = try folder.run(
            try folder.copy(of: "HelperProbe", in: "own"), arguments, environment: ["LD_PRELOAD": functions])
        #expect(run.status == 1, "The program prints the error.")
        return run.output
    }
}
#endif

@Suite(.serialized, .ownThread) struct HelperDamageProofTests {
    @Test(arguments: [1, 2, 3, 4, 5, 6])
    func weightsOverwrittenAtRandomEndOnlyTheHelper(_ seed: UInt64) async throws {
        let model = try ModelCopy()
        defer { model.delete() }
        var random = SplitMix64(seed: seed)
        for name in ["encoder.int8.onnx", "decoder.onnx", "joiner.int8.onnx"] {
            var data = try model.data(name)
            for _ in 0..<200 {
                data[Int.random(in: 0..<data.count, using: &random)] = .random(in: 0...255, using: &random)
            }
            try model.write(data, name)
        }
        if let error = await model.errorInAHelper() { #expect(error.recovery != nil, "\(error)") }
    }

    #if PocketSphinx
    @Test(arguments: SphinxModelCopy.files) func aDamagedFileOfPocketSphinxEndsOnlyTheHelper(file: String) async throws
    {
        var random = SplitMix64(seed: 7)
        let whole = try Data(contentsOf: URL(filePath: SphinxModelCopy.installed + "/" + file))
        let noise = (0..<min(whole.count, 300_000)).map { _ in UInt8.random(in: 0...255, using: &random) }
        var stretch = whole
        for index in whole.count / 3..<min(whole.count, whole.count / 3 + 64) {
            stretch[index] = .random(in: 0...255, using: &random)
        }
        for (data, isBroken) in [
            (Data(), true), (whole.prefix(whole.count / 2), false), (Data(noise), true), (stretch, false),
        ] {
            let copy = try SphinxModelCopy()
            let engine = HelperRecoveryTests.engine(.pocketSphinx([try PocketSphinxModel(folder: copy.folder.path)]))
            try copy.replace(file, data)
            do {
                _ = try await engine.text(try buffers(Speech.goForward.samples()), Sphinx.options())
                #expect(!isBroken || ["feat.params", "noisedict"].contains { file.hasSuffix($0) }, "\(file)")
            } catch {
                #expect((error as? DictationError)?.recovery != nil, "\(error)")
            }
        }
    }
    #endif
}

extension ModelCopy {
    func description() throws -> EngineDescription {
        try .sherpaOnnx(SherpaOnnxEngine.Model(folder: folder.path), locales: ["en-US"])
    }

    /// Recognizes speech with this model in a helper and returns the error, if there is one.
    func errorInAHelper(_ description: EngineDescription? = nil) async -> DictationError? {
        do {
            let engine = HelperRecoveryTests.engine(try description ?? self.description())
            _ = try await engine.text(try SherpaFixtures.samples("mfa-ipa_us_2").buffers(), .liveDictation())
            return nil
        } catch {
            return error as? DictationError ?? DictationError(.engineFailed, "\(error)")
        }
    }
}

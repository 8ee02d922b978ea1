import DictationCore
import DictationTesting
import Foundation
import Testing

@testable import DictationEngines

/// Damaged models in a helper: an error that says what to do, and the program lives.
@Suite struct HostedDamageTests {
    @Test func aModelThatAbortsIsBlamed() async throws {
        let model = try ModelCopy()
        defer { model.delete() }
        let damaged = try SherpaFixtures.models().appending(path: "damaged/encoder.int8.onnx")
        try model.write(Data(contentsOf: damaged), "encoder.int8.onnx")
        let error = try #require(await model.errorInAHelper())
        #expect(error.code == .engineFailed)
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

@Suite(.serialized) struct HostedDamageProofTests {
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
            let engine = HostedRecoveryTests.engine(.pocketSphinx([try PocketSphinxModel(folder: copy.folder.path)]))
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
        try .sherpaOnnx(SherpaOnnxModel(folder: folder.path), locales: ["en-US"])
    }

    /// Recognizes speech with this model in a helper and returns the error, if there is one.
    func errorInAHelper(_ description: EngineDescription? = nil) async -> DictationError? {
        do {
            let engine = HostedRecoveryTests.engine(try description ?? self.description())
            _ = try await engine.text(try SherpaFixtures.samples("mfa-ipa_us_2").buffers(), .liveDictation())
            return nil
        } catch {
            return error as? DictationError ?? DictationError(.engineFailed, "\(error)")
        }
    }
}

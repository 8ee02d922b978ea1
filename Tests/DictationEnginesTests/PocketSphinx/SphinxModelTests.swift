#if PocketSphinx
import DictationCore
import DictationTesting
import Foundation
import TestSupport
import Testing

@testable import DictationEngines

@Suite(.serialized) struct SphinxModelTests {
    @Test func theInstalledModelIsWhole() async throws {
        try Sphinx.model().validate()
        let copy = try SphinxModelCopy()
        #expect(await copy.outcome() == nil)
    }

    // MARK: Finding models

    @Test func modelsAreFoundInFoldersWithTheirLocales() throws {
        let root = FileManager.default.temporaryDirectory.appending(path: "models-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: root) }
        try FileManager.default.createDirectory(
            at: root.appending(path: "nothing"), withIntermediateDirectories: true)
        let model = try SphinxModelCopy()
        for name in ["de", "fr_FR", "cmusphinx-en-in-5.2"] {
            let folder = root.appending(path: name)
            try FileManager.default.copyItem(at: model.folder, to: folder)
        }
        let found = PocketSphinxModel.installed(folders: [root.path, "/does/not/exist"])
        #expect(found.map(\.locale) == ["en-IN", "de", "fr-FR"])
        #expect(PocketSphinxModel.installed().contains { $0.locale == "en-US" })
    }

    @Test(arguments: ["/does/not/exist", "/etc", "/usr/share/pocketsphinx/model/en-us/en-us/mdef"])
    func whatIsNotAModelIsRefused(folder: String) {
        #expect { try PocketSphinxModel(folder: folder) } throws: { ($0 as? DictationError)?.recovery != nil }
    }

    /// PocketSphinx looks for the checksum and ends the process.
    @Test(arguments: ["means", "variances", "transition_matrices"])
    func aFileThatDeniesItsChecksumStillNeedsOne(name: String) throws {
        let copy = try SphinxModelCopy()
        let model = try PocketSphinxModel(folder: copy.folder.path)
        try copy.replace("en-us/" + name, SphinxModelCopy.withoutChecksum(name))
        #expect {
            try model.validate()
        } throws: { ($0 as? DictationError)?.code == .modelInvalid }
    }

    // MARK: Retention

    /// In a process of its own, so that it does not wait for other tests' work.
    @Test(.ownThread) func aSecondSessionStartsAtOnce() async {
        await #expect(processExitsWith: .success) {
            let engine = PocketSphinxEngine(models: [try Sphinx.model()], retention: .processLifetime)
            let first = try await engine.makeSession(Sphinx.options())
            var times: [Duration] = []
            for _ in 0..<20 {
                let start = ContinuousClock.now
                let session = try await engine.makeSession(Sphinx.options())
                times.append(ContinuousClock.now - start)
                await session.cancel()
            }
            await first.cancel()
            #expect(times.sorted()[10] < .milliseconds(10), "\(times)")
        }
    }

    @Test(arguments: [true, false]) func aModelLingersAndIsThenUnloaded(isOnlyPrepared: Bool) async throws {
        let model = try Sphinx.model()
        try await VirtualTime.run { clock in
            let engine = PocketSphinxEngine(models: [model], retention: .lingering(.seconds(60)))
            #expect(!engine.holdsModels)
            // Each use restarts the time.
            for _ in 0..<2 {
                if isOnlyPrepared {
                    try await engine.prepare(Sphinx.options())
                } else {
                    let session = try await engine.makeSession(Sphinx.options())
                    await clock.advance(by: .seconds(600))
                    #expect(engine.holdsModels)
                    await session.cancel()
                }
                await clock.advance(by: .seconds(59))
                #expect(engine.holdsModels)
            }
            await clock.advance(by: .seconds(2))
            #expect(!engine.holdsModels)
        }
    }

    @Test(arguments: [(ModelRetention.whileInUse, false), (.processLifetime, true)])
    func retentionSaysWhetherAModelOutlivesItsSession(retention: ModelRetention, isKept: Bool) async throws {
        let model = try Sphinx.model()
        try await VirtualTime.run { clock in
            let engine = PocketSphinxEngine(models: [model], retention: retention)
            try await engine.prepare(Sphinx.options())
            let session = try await engine.makeSession(Sphinx.options())
            #expect(engine.holdsModels)
            await session.cancel()
            await clock.advance(by: .seconds(1))
            #expect(engine.holdsModels == isKept)
        }
    }
}

extension SphinxModelTests {
    /// What takes too long for everyday runs.
    @Suite struct ProofTests {
        @Test func severalModelsServeSeveralLocales() async throws {
            let copy = try SphinxModelCopy()
            let german = try PocketSphinxModel(folder: copy.folder.path, locale: "de-DE")
            let engine = PocketSphinxEngine(models: [try Sphinx.model(), german], retention: .whileInUse)
            #expect(await engine.supportedLocales == ["de-DE", "en-US"])
            for locale: SpeechLocale in ["de-DE", "en-US"] {
                let text = try await engine.text(
                    buffers(Speech.goForward.samples()), Sphinx.options { $0.locale = locale })
                #expect(text == Speech.goForward.text)
            }
        }

        @Test(arguments: SphinxModelCopy.files) func aMissingFileIsAnError(file: String) async throws {
            let copy = try SphinxModelCopy()
            try copy.replace(file, nil)
            let error = await copy.outcome()
            // Without its list of noises a model is still whole.
            if file.hasSuffix("noisedict") {
                #expect(error == nil)
            } else {
                #expect(error?.recovery != nil, "\(file)")
            }
        }
    }
}
#endif

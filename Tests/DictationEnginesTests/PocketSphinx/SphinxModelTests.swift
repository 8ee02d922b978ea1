#if PocketSphinx
import DictationCore
import DictationTesting
import Foundation
import TestSupport
import Testing

@testable import DictationEngines

@Suite(.serialized) struct SphinxModelTests {
    private static let installed = "/usr/share/pocketsphinx/model/en-us"
    private static let files = [
        "cmudict-en-us.dict", "en-us.lm.bin", "en-us/feat.params", "en-us/mdef", "en-us/means", "en-us/noisedict",
        "en-us/sendump", "en-us/transition_matrices", "en-us/variances",
    ]

    /// A copy of the model that costs nothing until a file is changed.
    private func copy() throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appending(path: "sphinx-\(UUID().uuidString)/en-us")
        try FileManager.default.createDirectory(
            at: folder.appending(path: "en-us"), withIntermediateDirectories: true)
        for file in Self.files {
            try FileManager.default.createSymbolicLink(
                at: folder.appending(path: file), withDestinationURL: URL(filePath: Self.installed + "/" + file))
        }
        return folder
    }

    private func replace(_ file: String, in folder: URL, _ data: Data?) throws {
        let url = folder.appending(path: file)
        try FileManager.default.removeItem(at: url)
        if let data { try data.write(to: url) }
    }

    /// What comes of using a model: `nil` when it works.
    private func outcome(_ folder: URL) async -> DictationError? {
        do {
            let model = try PocketSphinxModel(folder: folder.path)
            let engine = PocketSphinxEngine(models: [model], retention: .whileInUse)
            _ = try await engine.text(buffers(Speech.goForward.samples()), Sphinx.options())
            return nil
        } catch { return error as? DictationError ?? DictationError(.engineFailed, "\(error)") }
    }

    @Test func theInstalledModelIsWhole() async throws {
        try Sphinx.model().validate()
        let folder = try copy()
        defer { try? FileManager.default.removeItem(at: folder.deletingLastPathComponent()) }
        #expect(await outcome(folder) == nil)
    }

    @Test(arguments: files) func aMissingFileIsAnError(file: String) async throws {
        let folder = try copy()
        defer { try? FileManager.default.removeItem(at: folder.deletingLastPathComponent()) }
        try replace(file, in: folder, nil)
        let error = await outcome(folder)
        // Without its list of noises a model is still whole.
        if file.hasSuffix("noisedict") {
            #expect(error == nil)
        } else {
            #expect(error?.recovery != nil, "\(file)")
        }
    }

    @Test(arguments: files) func aTruncatedFileIsAnError(file: String) async throws {
        let whole = try Data(contentsOf: URL(filePath: Self.installed + "/" + file))
        for length in [0, 1, 3, 20, whole.count / 2, whole.count - 1] where length < whole.count {
            let folder = try copy()
            defer { try? FileManager.default.removeItem(at: folder.deletingLastPathComponent()) }
            try replace(file, in: folder, whole.prefix(length))
            let error = await outcome(folder)
            // A text that ends at a whole line is still one.
            if error == nil {
                #expect(["feat.params", "noisedict", "cmudict-en-us.dict"].contains { file.hasSuffix($0) })
            }
            if let error { #expect(error.recovery != nil) }
        }
    }

    @Test(arguments: files) func aRandomFileIsAnError(file: String) async throws {
        var random = SystemRandomNumberGenerator()
        let size = try Data(contentsOf: URL(filePath: Self.installed + "/" + file)).count
        let folder = try copy()
        defer { try? FileManager.default.removeItem(at: folder.deletingLastPathComponent()) }
        let noise = (0..<min(size, 300_000)).map { _ in UInt8.random(in: 0...255, using: &random) }
        try replace(file, in: folder, Data(noise))
        let error = await outcome(folder)
        #expect([.modelInvalid, .fileUnreadable].contains(error?.code), "\(file)")
    }

    @Test(arguments: files) func aFileWithARandomStretchIsSurvived(file: String) async throws {
        var random = SystemRandomNumberGenerator()
        let whole = try Data(contentsOf: URL(filePath: Self.installed + "/" + file))
        for _ in 0..<2 {
            var data = whole
            let start = Int.random(in: 0..<data.count, using: &random)
            for index in start..<min(data.count, start + 64) {
                data[index] = UInt8.random(in: 0...255, using: &random)
            }
            let folder = try copy()
            defer { try? FileManager.default.removeItem(at: folder.deletingLastPathComponent()) }
            try replace(file, in: folder, data)
            // An error or a recognition: the process lives either way.
            if let error = await outcome(folder) { #expect(error.recovery != nil) }
        }
    }

    // MARK: Finding models

    @Test func modelsAreFoundInFoldersWithTheirLocales() throws {
        let root = FileManager.default.temporaryDirectory.appending(path: "models-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: root) }
        try FileManager.default.createDirectory(
            at: root.appending(path: "nothing"), withIntermediateDirectories: true)
        for name in ["de", "fr_FR", "cmusphinx-en-in-5.2"] {
            let folder = root.appending(path: name)
            try FileManager.default.copyItem(at: try copy(), to: folder)
        }
        let found = PocketSphinxModel.installed(folders: [root.path, "/does/not/exist"])
        #expect(found.map(\.locale) == ["en-IN", "de", "fr-FR"])
        #expect(PocketSphinxModel.installed().contains { $0.locale == "en-US" })
    }

    @Test func severalModelsServeSeveralLocales() async throws {
        let german = try PocketSphinxModel(folder: copy().path, locale: "de-DE")
        let engine = PocketSphinxEngine(models: [try Sphinx.model(), german], retention: .whileInUse)
        #expect(await engine.supportedLocales == ["de-DE", "en-US"])
        for locale: SpeechLocale in ["de-DE", "en-US"] {
            let text = try await engine.text(
                buffers(Speech.goForward.samples()), Sphinx.options { $0.locale = locale })
            #expect(text == Speech.goForward.text)
        }
    }

    @Test(arguments: ["/does/not/exist", "/etc", "/usr/share/pocketsphinx/model/en-us/en-us/mdef"])
    func whatIsNotAModelIsRefused(folder: String) {
        #expect { try PocketSphinxModel(folder: folder) } throws: { ($0 as? DictationError)?.recovery != nil }
    }

    // MARK: Retention

    /// In a process of its own, so that it does not wait for other tests' work.
    @Test(.oneChildAtATime) func aSecondSessionStartsAtOnce() async {
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
#endif

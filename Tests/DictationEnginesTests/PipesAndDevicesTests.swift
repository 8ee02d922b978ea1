import DictationCore
import DictationEngines
import Foundation
import Testing

/// What is not a file is refused in its place, and never waited for.
@Suite struct PipesAndDevicesTests {
    private final class Place {
        let path = FileManager.default.temporaryDirectory.appending(path: "pipes-\(UUID())").path

        init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }
        deinit { try? FileManager.default.removeItem(atPath: path) }

        func pipe(_ name: String) -> String {
            mkfifo(path + "/" + name, 0o600)
            return path + "/" + name
        }
    }

    @Test(.timeLimit(.minutes(1))) func aPipeIsNoScript() throws {
        let place = try Place()
        #expect { try ScriptedEngine.Script(contentsOfFile: place.pipe("script")) } throws: {
            "\($0)".contains("not a file")
        }
    }

    @Test(.timeLimit(.minutes(1))) func aPipeIsNoRecording() throws {
        let place = try Place()
        #expect { try ReplayEngine.Recording(contentsOfFile: place.pipe("recording")) } throws: {
            "\($0)".contains("not a file")
        }
    }

    @Test(.timeLimit(.minutes(1)), arguments: ["/dev/zero", "/dev/tty"]) func aDeviceIsNoScript(_ path: String) {
        #expect(throws: DictationError.self) { try ScriptedEngine.Script(contentsOfFile: path) }
        #expect(throws: DictationError.self) { try ReplayEngine.Recording(contentsOfFile: path) }
    }

    #if PocketSphinx
    @Test(
        .timeLimit(.minutes(1)), arguments: ["mdef", "feat.params", "means", "sendump", "noisedict", "words.dict"])
    func aPipeIsNoPartOfAPocketSphinxModel(_ name: String) throws {
        let place = try Place()
        let model = "/usr/share/pocketsphinx/model/en-us"
        for file in try FileManager.default.contentsOfDirectory(atPath: model + "/en-us") where file != name {
            try FileManager.default.copyItem(atPath: model + "/en-us/" + file, toPath: place.path + "/" + file)
        }
        if name != "words.dict" { try Data("go G OW\n".utf8).write(to: URL(filePath: place.path + "/words.dict")) }
        _ = place.pipe(name)
        #expect(throws: DictationError.self) {
            try PocketSphinxModel(folder: place.path, locale: "en-US").validate()
        }
    }
    #endif

    @Test(
        .timeLimit(.minutes(1)),
        arguments: ["encoder.int8.onnx", "decoder.onnx", "tokens.txt", "bpe.model", "dictation-model.json"])
    func aPipeIsNoPartOfASherpaOnnxModel(_ name: String) throws {
        let model = try ModelCopy()
        defer { model.delete() }
        try? model.remove(name)
        mkfifo(model.folder.path + "/" + name, 0o600)
        #expect { try SherpaOnnxEngine.Model(folder: model.folder.path) } throws: { "\($0)".contains("not a file") }
    }

    /// What an engine was fed is what someone said.
    @Test(arguments: [0o666, 0o644, nil]) func aRecordingOfAnEngineIsForTheUserAlone(_ before: Int?) async throws {
        let place = try Place()
        let path = place.path + "/recording"
        if let before {
            _ = FileManager.default.createFile(
                atPath: path, contents: Data("old".utf8), attributes: [.posixPermissions: before])
        }
        let engine = try RecordingEngine(ScriptedEngine(.counting, locales: ["en-US"]), to: path)
        _ = try await engine.makeSession(.liveDictation())
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
        #expect(try String(contentsOfFile: path, encoding: .utf8).hasPrefix("old") == false)
    }
}

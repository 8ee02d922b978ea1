import DictationCore
import DictationTesting
import Foundation
import Testing

@testable import DictationEngines

/// A copy of the model's folder whose files can be changed.
struct ModelCopy {
    let folder: URL

    init(of model: String? = nil) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "sherpa-model-\(UUID())")
        // Written again instead of copied, because a copy keeps the owner, which only root can give.
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let original = URL(filePath: try model ?? SherpaFixtures.modelFolder())
        // Without the copies that nobody prefers there is only one file for each part.
        let unwanted = model == nil ? ["joiner.onnx", "decoder.int8.onnx"] : []
        for file in try FileManager.default.contentsOfDirectory(
            at: original, includingPropertiesForKeys: [.isRegularFileKey])
        where !unwanted.contains(file.lastPathComponent) {
            guard try file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true else { continue }
            try write(Data(contentsOf: file), file.lastPathComponent)
        }
    }

    func remove(_ name: String) throws {
        try FileManager.default.removeItem(at: folder.appending(path: name))
    }

    func data(_ name: String) throws -> Data { try Data(contentsOf: folder.appending(path: name)) }
    func write(_ data: Data, _ name: String) throws { try data.write(to: folder.appending(path: name)) }
    func delete() { try? FileManager.default.removeItem(at: folder) }

    /// Makes a session with this model and says with which error that failed.
    func errorOfASession() async -> DictationError? {
        do throws(DictationError) {
            let engine = try SherpaOnnxEngine(folder: folder.path, locales: ["en-US"])
            _ = try await engine.makeSession(.liveDictation())
            return nil
        } catch {
            return error
        }
    }
}

@Suite struct SherpaModelTests {
    @Test func filesAreChosenByTheStatedRule() throws {
        let folder = try SherpaFixtures.modelFolder()
        let automatic = try SherpaOnnxEngine.Model(folder: folder)
        #expect(automatic.files[0].hasSuffix("/encoder.int8.onnx"))
        #expect(automatic.files[1].hasSuffix("/decoder.onnx"))
        #expect(automatic.files[2].hasSuffix("/joiner.int8.onnx"))
        let float = try SherpaOnnxEngine.Model(folder: folder, precision: .float)
        #expect(float.files[2].hasSuffix("/joiner.onnx"))
        #expect(float.files[0].hasSuffix("/encoder.int8.onnx"))
        #expect(try SherpaOnnxEngine.Model(folder: folder, precision: .int8).files[1].hasSuffix("/decoder.int8.onnx"))
    }

    @Test func partsAreKnownByContentWhereTheirNamesSayNothing() throws {
        let model = try ModelCopy()
        defer { model.delete() }
        for (index, name) in ["encoder.int8.onnx", "decoder.onnx", "joiner.int8.onnx"].enumerated() {
            try model.write(model.data(name), "\(index).onnx")
            try model.remove(name)
        }
        let found = try SherpaOnnxEngine.Model(folder: model.folder.path)
        #expect(found.files[0].hasSuffix("/0.onnx"))
        #expect(found.files[2].hasSuffix("/2.onnx"))
    }

    /// What is done to a model's files, and a word of the error that it has to give.
    enum Damage: String, CaseIterable {
        case missing, empty, truncated, random, swapped, vocabulary, badTokens, doubleTokens, noFolder, pieces

        var word: String {
            switch self {
            case .missing: "no joiner"
            case .empty: "empty"
            case .truncated: "cut short"
            case .random: "can't be used"
            case .swapped: "its name says"
            case .vocabulary: "500 tokens"
            case .badTokens: "not a piece"
            case .doubleTokens: "twice"
            case .noFolder: "no model folder"
            case .pieces: "not in the model's tokens.txt"
            }
        }

        func apply(to model: ModelCopy) throws {
            switch self {
            case .missing: try model.remove("joiner.int8.onnx")
            case .empty: try model.write(Data(), "encoder.int8.onnx")
            case .truncated: try model.write(model.data("encoder.int8.onnx").dropLast(100_000), "encoder.int8.onnx")
            case .random:
                try model.write(Data((0..<50_000).map { _ in UInt8.random(in: 0...255) }), "decoder.onnx")
            case .swapped: try model.write(model.data("joiner.int8.onnx"), "encoder.int8.onnx")
            case .vocabulary:
                let lines = String(decoding: try model.data("tokens.txt"), as: UTF8.self).split(separator: "\n")
                try model.write(Data(lines.dropLast(3).joined(separator: "\n").utf8), "tokens.txt")
            case .badTokens: try model.write(Data("no numbers here at all\n".utf8), "tokens.txt")
            case .doubleTokens: try model.write(Data("a 0\nb 0\n".utf8), "tokens.txt")
            case .noFolder: model.delete()
            case .pieces:
                let text = String(decoding: try model.data("tokens.txt"), as: UTF8.self)
                try model.write(Data(text.replacing("EVERYTHING", with: "SOMETHING").utf8), "tokens.txt")
            }
        }
    }

    @Test(arguments: Damage.allCases)
    func damageIsSaidBeforeTheLibrarySeesIt(_ damage: Damage) async throws {
        let model = try ModelCopy()
        defer { model.delete() }
        try damage.apply(to: model)
        let error = try #require(await model.errorOfASession())
        #expect(error.code == .modelInvalid || error.code == .modelNotInstalled)
        #expect(error.message.contains(damage.word), "\(error)")
        #expect(error.recovery != nil)
    }

    @Test func everyCutOfAFileIsSaid() throws {
        let model = try ModelCopy()
        defer { model.delete() }
        let whole = try model.data("decoder.onnx")
        for count in [1, 2, 10, 100, 5_000, whole.count / 2, whole.count - 2, whole.count - 1] {
            try model.write(whole.prefix(count), "decoder.onnx")
            #expect(throws: DictationError.self) { try SherpaOnnxEngine.Model(folder: model.folder.path) }
        }
    }

    @Test func aModelThatWouldEndTheProcessIsOnlyAnError() async throws {
        let model = try ModelCopy()
        defer { model.delete() }
        let damaged = try SherpaFixtures.models().appending(path: "damaged/encoder.int8.onnx")
        try model.write(Data(contentsOf: damaged), "encoder.int8.onnx")
        for _ in 1...2 {
            let error = try #require(await model.errorOfASession())
            #expect(error.code == .modelInvalid)
            #expect(error.underlying?.code == Int(SIGABRT))
            #expect(error.underlying?.message?.isEmpty == false)
        }
    }

    @Test(arguments: [1, 2, 3, 4, 5, 6])
    func weightsOverwrittenAtRandomNeverEndTheProcess(_ seed: UInt64) async throws {
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
        // Some changes do no harm and some make it throw: what counts is to be here afterwards.
        if let error = await model.errorOfASession() { #expect(error.code == .modelInvalid, "\(error)") }
    }

    @Test func aModelIsTriedOncePerVersionOfItsFiles() throws {
        let copy = try ModelCopy()
        defer { copy.delete() }
        let memory = WorkingFiles(folder: copy.folder.appending(path: "memory").path)
        let model = try SherpaOnnxEngine.Model(folder: copy.folder.path)
        // Without time no check can succeed, so a success here means that there was no check.
        #expect(throws: DictationError.self) { try ModelCheck(model: model, timeout: .zero, memory: memory).run() }
        try ModelCheck(model: model, memory: memory).run()
        try ModelCheck(model: model, timeout: .zero, memory: memory).run()
        try copy.write(copy.data("tokens.txt"), "tokens.txt")
        #expect(throws: DictationError.self) { try ModelCheck(model: model, timeout: .zero, memory: memory).run() }
    }

    @Test func theManifestGivesLocales() async throws {
        let model = try ModelCopy()
        defer { model.delete() }
        #expect(throws: DictationError.self) { try SherpaOnnxEngine(folder: model.folder.path) }
        try model.write(
            Data(#"{"name": "Zipformer", "locales": ["en-GB", "en-US"], "byteCount": 5}"#.utf8),
            SherpaOnnxInventory.Manifest.fileName)
        let engine = try SherpaOnnxEngine(folder: model.folder.path)
        #expect(await engine.supportedLocales == ["en-GB", "en-US"])
        for bad in ["{", #"{"name": "x", "locales": []}"#, #"{"locales": ["en"]}"#] {
            try model.write(Data(bad.utf8), SherpaOnnxInventory.Manifest.fileName)
            #expect(throws: DictationError.self) { try SherpaOnnxEngine.Model(folder: model.folder.path) }
        }
    }
}

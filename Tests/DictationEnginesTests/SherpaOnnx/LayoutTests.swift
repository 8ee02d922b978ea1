import DictationCore
import DictationTesting
import Foundation
import Testing

@testable import DictationEngines

/// Each layout of models, with a generated model. What the engines do is tested here; the words of such a model are not.
@Suite(.serialized) struct LayoutTests {
    @Test(arguments: GeneratedModel.all) func aLayoutIsRecognizedByTheContentsOfItsFiles(_ model: GeneratedModel) throws
    {
        let copy = try ModelCopy(of: model.folder)
        defer { copy.delete() }
        let networks = try FileManager.default.contentsOfDirectory(atPath: copy.folder.path)
            .filter { $0.hasSuffix(".onnx") }
        for (index, name) in networks.sorted().reversed().enumerated() {
            try copy.write(copy.data(name), "\(index).onnx")
            try copy.remove(name)
        }
        let files = try ModelFiles(folder: copy.folder.path)
        #expect(files.layout == model.layout)
        #expect(files.networks.map(\.role) == model.layout.roles)
        #expect(SherpaOnnxFolder.engine(for: copy.folder.path).rawValue == (try model.engine()).name)
        #expect(SherpaOnnxOfflineEngine.Model.isModel(folder: copy.folder.path) == !model.layout.isStreaming)
    }

    @Test func aNetworkInTheFormatOfONNXRuntimeHasNames() throws {
        let files = try ModelFiles(folder: SherpaFixtures.moonshineFolder())
        #expect(files.layout == .moonshine)
        #expect(files.networks.map(\.inputs.first) == ["input_values", "encoder_attention_mask"])
    }

    /// The recording has speech through its whole length, and a random model hears a word in each second of it.
    @Test(arguments: GeneratedModel.all) func wordsAreSpreadOverTheAudio(_ model: GeneratedModel) async throws {
        let engine = try model.engine()
        let speech = try SherpaFixtures.samples("jfk")
        let length = AudioFormat.speech.duration(ofFrames: Int64(speech.count))
        guard model.layout.hasTokenTimes else {
            await #expect { _ = try await engine.makeSession(.timedTranscription()) } throws: {
                ($0 as? DictationError)?.code == .unsupportedOption
            }
            return
        }
        let results = try await engine.results(speech.buffers(), .timedTranscription())
        let ranges = try results.words.map { try #require($0.range) }
        #expect(zip(ranges, ranges.dropFirst()).allSatisfy { $0.lowerBound <= $1.lowerBound })
        #expect(try #require(ranges.first).lowerBound < length / 4)
        #expect((length * 3 / 4..<length).contains(try #require(ranges.last).lowerBound))
        #expect(ranges.allSatisfy { $0.upperBound <= length })
        let written = results.finals.map { $0.words.map(\.text).joined(separator: " ") }
        #expect(written == results.finals.map(\.text))
        let collected = Collected()
        try await engine.transcribe(
            AudioInput(speech.buffers()), options: .timedTranscription(), workers: 2, into: collected.sink)
        #expect(!collected.all.words.isEmpty && collected.all.words.allSatisfy { $0.range != nil })
    }

    @Test(arguments: GeneratedModel.all.filter(\.layout.isStreaming))
    func streamsInOneStepHaveTheTextThatEachHasAlone(_ model: GeneratedModel) async throws {
        let loaded = try SherpaOnnxEngine.Model(folder: model.folder)
        #expect(loaded.decodesTogether)
        var configuration = SherpaFixtures.plain
        configuration.parallelSteps = 1
        let engine = try SherpaOnnxEngine(model: loaded, locales: ["en-US"], configuration: configuration)
        let speech = try GeneratedModel.speech()
        let parts = (0..<4).map { Array(speech.dropFirst($0 * 8_000)) }
        var alone: [String] = []
        for part in parts { alone.append(try await engine.text(part.buffers(), .fileTranscription())) }
        let together = try await withThrowingTaskGroup(of: (Int, String).self) { group in
            for (index, part) in parts.enumerated() {
                group.addTask { (index, try await engine.text(part.buffers(), .fileTranscription())) }
            }
            return try await group.reduce(into: Array(repeating: "", count: parts.count)) { $0[$1.0] = $1.1 }
        }
        #expect(together == alone)
        #expect(alone.allSatisfy { !$0.isEmpty })
    }

    /// The library alone would take the four seconds for two.
    @Test func aPauseEndsAnUtteranceOfAStreamingCTCModel() async throws {
        var configuration = SherpaOnnxEngine.Configuration()
        configuration.endpointing = .init(silenceWithoutText: .seconds(30), silenceAfterText: .seconds(2.5))
        let folder = try SherpaFixtures.generatedFolder("streaming-nemo-ctc")
        let engine = try SherpaOnnxEngine(folder: folder, locales: ["en-US"], configuration: configuration)
        let speech = try GeneratedModel.speech()
        let audio = speech + Array(repeating: 0, count: 64_000) + speech
        let finals = try await engine.results(audio.buffers(), .liveDictation()).finals
        #expect(finals.count >= 2)
        #expect(try #require(finals.first).range.upperBound < .seconds(5))
    }

    @Test(arguments: GeneratedModel.all) func aPieceOfOneSampleIsDecoded(_ model: GeneratedModel) async throws {
        guard !model.layout.isStreaming else { return }
        let loaded = try SherpaOnnxOfflineEngine.Model(folder: model.folder)
        let recognizer = try OfflineRecognizer(loaded, SherpaOnnxOfflineEngine.Configuration())
        for count in [1, 200, 2_000] { _ = try recognizer.text(of: Array(repeating: 0.1, count: count)) }
    }

    enum Damage: String, CaseIterable {
        case missing, empty, truncated, swapped, otherLayout, vocabulary, twoModels

        func apply(to copy: ModelCopy, _ model: GeneratedModel) throws {
            let files = try ModelFiles(folder: copy.folder.path)
            let names = files.networks.map { URL(filePath: $0.path).lastPathComponent }
            let tokens = URL(filePath: files.tokens).lastPathComponent
            let isWhisper = model.layout == .whisper
            let other = try SherpaFixtures.generatedFolder(isWhisper ? "sense-voice" : "whisper")
            let foreign = other + (isWhisper ? "/model.int8.onnx" : "/tiny-encoder.onnx")
            switch self {
            case .missing: try copy.remove(names[names.count - 1])
            case .empty: try copy.write(Data(), names[0])
            case .truncated: try copy.write(copy.data(names[0]).dropLast(100), names[0])
            // A model of one network gets its vocabulary as the network.
            case .swapped: try copy.write(copy.data(names.count > 1 ? names[names.count - 1] : tokens), names[0])
            case .otherLayout: try copy.write(Data(contentsOf: URL(filePath: foreign)), names[0])
            case .vocabulary: try copy.write(Data("a 0\nb 1\nc 2\n".utf8), tokens)
            case .twoModels:
                let ending = files.networks[0].isQuantized ? ".int8.onnx" : ".onnx"
                try copy.write(copy.data(names[0]), "another" + ending)
            }
        }
    }

    @Test(arguments: GeneratedModel.all, Damage.allCases)
    func damageIsSaidBeforeTheLibrarySeesIt(_ model: GeneratedModel, _ damage: Damage) async throws {
        let copy = try ModelCopy(of: model.folder)
        defer { copy.delete() }
        try damage.apply(to: copy, model)
        let thrown = try #require(throws: DictationError.self) { _ = try model.engine(in: copy.folder.path) }
        #expect([.modelInvalid, .modelNotInstalled].contains(thrown.code), "\(thrown)")
        #expect(thrown.recovery != nil)
    }

    @Test(arguments: GeneratedModel.all) func changedBytesNeverEndTheProcess(_ model: GeneratedModel) async throws {
        let copy = try ModelCopy(of: model.folder)
        defer { copy.delete() }
        var random = SplitMix64(seed: 11)
        for path in try ModelFiles(folder: copy.folder.path).networks.map(\.path) {
            let name = URL(filePath: path).lastPathComponent
            var data = try copy.data(name)
            for _ in 0..<20 {
                data[Int.random(in: 0..<data.count, using: &random)] = .random(in: 0...255, using: &random)
            }
            try copy.write(data, name)
        }
        // Some changes do no harm and some make the library throw; either way this process goes on.
        do {
            _ = try await model.engine(in: copy.folder.path).makeSession(.fileTranscription())
        } catch let error as DictationError {
            #expect([.modelInvalid, .modelNotInstalled].contains(error.code), "\(error)")
        }
    }
}

@Suite struct LayoutConformanceProofTests {
    @Test(arguments: GeneratedModel.all) func anEngineWithTheLayoutKeepsItsPromises(_ model: GeneratedModel)
        async throws
    {
        let audio = try GeneratedModel.speech().buffers()
        let report = try await EngineConformance(model.engine(), audio: audio, responseTimeout: .seconds(20)).run()
        #expect(report.conforms, "\(report)")
    }
}

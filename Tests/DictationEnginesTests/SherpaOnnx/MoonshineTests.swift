import DictationCore
import DictationTesting
import Foundation
import Testing

@testable import DictationEngines

/// The engine for whole stretches with a real model, which the scripts install from the catalog.
@Suite(.serialized) struct MoonshineTests {
    @Test func textHasPunctuationAndCase() async throws {
        let engine = try SherpaFixtures.moonshine()
        for name in ["ls-1089-134686-0001", "ls-61-70968-0000", "lj-LJ001-0008", "jfk"] {
            let text = try await engine.text(SherpaFixtures.samples(name).buffers(), .fileTranscription())
            #expect(text.first?.isUppercase == true && text.dropFirst().contains(where: \.isLowercase), "\(text)")
            #expect(text.last?.isPunctuation == true, "\(text)")
        }
    }

    @Test func silenceAndSteadyNoiseAreNoText() async throws {
        let engine = try SherpaFixtures.moonshine()
        var random = SplitMix64(seed: 7)
        let noise = (0..<80_000).map { _ in Int16.random(in: -300...300, using: &random) }
        for samples in [Array(repeating: Int16(0), count: 80_000), noise] {
            let results = try await engine.results(samples.buffers(), .fileTranscription())
            #expect(results.allSatisfy { $0.result == nil })
            #expect(results.finalizedThrough == .seconds(5))
        }
    }

    @Test func whatTheModelCannotDoIsRefused() async throws {
        let engine = try SherpaFixtures.moonshine()
        var contextual = RecognitionOptions.fileTranscription()
        contextual.contextualStrings = ["Moonshine"]
        for options in [contextual, .timedTranscription(), .wakeWords([RecognitionTask.Keyphrase("hello")])] {
            await #expect { _ = try await engine.makeSession(options) } throws: {
                ($0 as? DictationError)?.code == .unsupportedOption
            }
        }
        await #expect { _ = try await engine.makeSession(.fileTranscription("de-DE")) } throws: {
            ($0 as? DictationError)?.code == .unsupportedLocale
        }
    }

    @Test(arguments: [
        "missing", "empty", "random", "cut short", "swapped", "tokens of another model", "fewer tokens",
        "changed inside",
    ])
    func aModelThatCannotWorkIsAnErrorAndTheProcessLives(_ damage: String) async throws {
        let model = try ModelCopy(of: try SherpaFixtures.moonshineFolder())
        defer { model.delete() }
        let (encoder, decoder) = ("encoder_model.ort", "decoder_model_merged.ort")
        var random = SplitMix64(seed: 3)
        switch damage {
        case "missing": try FileManager.default.removeItem(at: model.folder.appending(path: encoder))
        case "empty": try model.write(Data(), decoder)
        case "random":
            try model.write(Data((0..<100_000).map { _ in .random(in: 0...255, using: &random) }), encoder)
        case "cut short": try model.write(model.data(decoder).prefix(1_000_000), decoder)
        case "swapped":
            let (first, second) = (try model.data(encoder), try model.data(decoder))
            try model.write(second, encoder)
            try model.write(first, decoder)
        case "tokens of another model":
            try model.write(
                Data(contentsOf: URL(filePath: SherpaFixtures.modelFolder() + "/tokens.txt")), "tokens.txt")
        case "fewer tokens":
            let lines = try model.data("tokens.txt").split(separator: UInt8(ascii: "\n"))
            try model.write(Data(lines.prefix(30_000).joined(separator: [UInt8(ascii: "\n")])), "tokens.txt")
        default:
            var data = try model.data(encoder)
            for index in data.indices.dropFirst(8).prefix(4_000) {
                data[index] = .random(in: 0...255, using: &random)
            }
            try model.write(data, encoder)
        }
        await #expect {
            let engine = try SherpaOnnxOfflineEngine(folder: model.folder.path, locales: ["en-US"])
            _ = try await engine.makeSession(.fileTranscription())
        } throws: { error in
            print("\(damage): \(error)")
            return [.modelInvalid, .modelNotInstalled].contains((error as? DictationError)?.code)
        }
    }

    @Test func anInventoryKnowsWhichEngineAModelIsFor() async throws {
        let models = FileManager.default.temporaryDirectory.appending(path: "moonshine-\(UUID())")
        defer { try? FileManager.default.removeItem(at: models) }
        let tiny = models.appending(path: "tiny")
        try FileManager.default.createDirectory(at: tiny, withIntermediateDirectories: true)
        let model = URL(filePath: try SherpaFixtures.moonshineFolder())
        for name in ["encoder_model.ort", "decoder_model_merged.ort", "tokens.txt"] {
            try FileManager.default.createSymbolicLink(
                at: tiny.appending(path: name), withDestinationURL: model.appending(path: name))
        }
        try Data(#"{"name": "Tiny", "locales": ["en-US"]}"#.utf8).write(
            to: tiny.appending(path: SherpaOnnxInventory.Manifest.fileName))
        let inventory = SherpaOnnxInventory(folder: models.path)
        let asset = try #require(try await inventory.assets().first)
        #expect(asset.engine == "sherpa-onnx-offline")
        #expect(asset.locales.contains("en-US"))
        #expect(await inventory.status(of: "tiny") == .installed)
        try await inventory.verify("tiny")
    }
}

extension MoonshineTests {
    /// What takes too long for everyday runs.
    @Suite struct ProofTests {
        @Test func textIsThereWhileMoreIsSaidAndFinalAfterAPause() async throws {
            let jfk = try SherpaFixtures.samples("jfk")
            let pause = Array(repeating: Int16(0), count: 32_000)
            let results = try await SherpaFixtures.moonshine().results((jfk + pause + jfk).buffers(), .liveDictation())
            let firstVolatile = try #require(results.firstIndex { $0.result != nil && $0.finalResult == nil })
            let firstFinal = try #require(results.firstIndex { $0.finalResult != nil })
            #expect(firstVolatile < firstFinal)
            #expect(
                results[firstVolatile...].contains {
                    $0.finalResult.map { $0.range.lowerBound > .seconds(12) } ?? false
                })
            #expect(results.finals.count >= 2)
        }
    }
}

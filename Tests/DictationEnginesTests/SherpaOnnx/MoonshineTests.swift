import DictationCore
import DictationTesting
import Foundation
import Testing

@testable import DictationEngines

/// The engine for whole stretches with a real model, which the scripts install from the catalog.
@Suite(.serialized) struct MoonshineTests {
    private func engine() throws -> SherpaOnnxOfflineEngine {
        try SherpaOnnxOfflineEngine(folder: SherpaFixtures.moonshineFolder(), locales: ["en-US", "en-GB"])
    }

    @Test func theEngineKeepsItsPromises() async throws {
        let audio = try SherpaFixtures.samples("mfa-ipa_us_2").buffers()
        let report = try await EngineConformance(engine(), audio: audio, responseTimeout: .seconds(60)).run()
        #expect(report.conforms, "\(report)")
        print(report)
    }

    @Test func textHasPunctuationAndCase() async throws {
        let engine = try engine()
        for name in ["ls-1089-134686-0001", "ls-61-70968-0000", "lj-LJ001-0008", "jfk"] {
            let text = try await engine.text(SherpaFixtures.samples(name).buffers(), .fileTranscription())
            #expect(text.first?.isUppercase == true && text.dropFirst().contains(where: \.isLowercase), "\(text)")
            #expect(text.last?.isPunctuation == true, "\(text)")
        }
    }

    /// Every day on read speech; on all recordings with `Scripts/prove-sherpa-onnx`.
    @Test func moonshineWordsAreMostlyRight() async throws {
        let engine = try engine()
        var kinds: [String: WordErrors] = [:]
        for recording in try SherpaFixtures.recordings() where SherpaProofTests.isWhole || recording.kind == "read" {
            let text = try await engine.text(SherpaFixtures.samples(recording.name).buffers(), .fileTranscription())
            kinds[recording.kind, default: WordErrors()] =
                kinds[recording.kind, default: WordErrors()] + WordErrors(text, reference: recording.transcript)
        }
        for (kind, errors) in kinds.sorted(by: { $0.key < $1.key }) { print("Moonshine, \(kind): \(errors)") }
        print("Moonshine, all: \(kinds.values.reduce(WordErrors(), +))")
        #expect(try #require(kinds["read"]).rate < 0.1)
    }

    @Test func textIsThereWhileMoreIsSaidAndFinalAfterAPause() async throws {
        let jfk = try SherpaFixtures.samples("jfk")
        let pause = Array(repeating: Int16(0), count: 32_000)
        let results = try await engine().results((jfk + pause + jfk).buffers(), .liveDictation())
        let firstVolatile = try #require(results.firstIndex { $0.result != nil && $0.finalResult == nil })
        let firstFinal = try #require(results.firstIndex { $0.finalResult != nil })
        #expect(firstVolatile < firstFinal)
        #expect(
            results[firstVolatile...].contains {
                $0.finalResult.map { $0.range.lowerBound > .seconds(12) } ?? false
            })
        #expect(results.finals.count >= 2)
    }

    @Test func silenceAndSteadyNoiseAreNoText() async throws {
        let engine = try engine()
        var random = SplitMix64(seed: 7)
        let noise = (0..<80_000).map { _ in Int16.random(in: -300...300, using: &random) }
        for samples in [Array(repeating: Int16(0), count: 80_000), noise] {
            let results = try await engine.results(samples.buffers(), .fileTranscription())
            #expect(results.allSatisfy { $0.result == nil })
            #expect(results.finalizedThrough == .seconds(5))
        }
    }

    @Test func buffersAndWorkersMakeNoDifferenceToARecording() async throws {
        let engine = try engine()
        let samples = try SherpaFixtures.samples("lucier")
        let whole = try await engine.text(samples.buffers(), .fileTranscription())
        #expect(whole.split(separator: " ").count > 100)
        #expect(try await engine.text(samples.buffers(of: 777), .fileTranscription()) == whole)
        for workers in [1, 3] {
            let results = Collected()
            try await engine.transcribe(
                AudioInput(samples.buffers()), options: .fileTranscription(), workers: workers, into: results.sink)
            #expect(results.all.heardText == whole)
        }
    }

    @Test func aLongTalkIsWrittenInWholeSentences() async throws {
        let talk = try SherpaFixtures.samples("lucier")
        let finals = try await engine().results(talk.buffers(), .fileTranscription()).finals
        #expect(finals.count > 1)
        #expect(finals.allSatisfy { $0.text.first?.isUppercase == true }, "\(finals.map(\.text))")
        // The recording itself may end in the middle of a sentence.
        #expect(finals.dropLast().allSatisfy { TextSeam.endsSentence($0.text) }, "\(finals.map(\.text))")
    }

    /// Wherever a sentence is cut, its text stays the same, apart from words that the model recognizes differently.
    @Test func noWordIsLostOrDoubledAtAnyCutInsideSpeech() async throws {
        let recognition = try recognition()
        let samples = try SherpaFixtures.samples("jfk")
        let whole = try text(of: samples, cutsAt: [], recognition)
        var (joined, doubled) = (WordErrors(), WordErrors())
        var (count, broken) = (0, 0)
        for cut in stride(from: 40_000, to: samples.count - 32_000, by: 8_000) {
            let text = try self.text(of: samples, cutsAt: [cut], recognition)
            joined = joined + WordErrors(text, reference: whole)
            count += 1
            if text.dropLast().contains(".") { broken += 1 }
            doubled =
                doubled
                + WordErrors(
                    try self.text(of: samples, cutsAt: [cut], recognition, joins: false), reference: whole)
        }
        print("Moonshine, cut inside speech: \(joined), without joining: \(doubled), \(broken) of \(count) broken")
        #expect(joined.rate < 0.1 && 2 * joined.rate < doubled.rate)
        #expect(4 * broken <= count)
    }

    /// Short and odd pieces are where the model repeats itself.
    @Test func oddPiecesAreNoRunawayText() async throws {
        let recognition = try recognition()
        var (count, doubtful) = (0, 0)
        for name in ["lj-LJ001-0007", "ls-1089-134686-0000", "vosk-digits", "mfa-ipa_us_4"] {
            let samples = try SherpaFixtures.samples(name)
            for start in stride(from: 0, to: samples.count - 16_000, by: 12_000) {
                let speech = Duration.zero..<Duration.seconds(1)
                let piece = PauseCutter.Piece(
                    samples: AudioBuffer(Array(samples[start..<start + 16_000]), start: .zero).floatSamples,
                    start: .zero, speech: speech, ending: .end)
                let text = try recognition.text(of: piece)
                count += 1
                if Plausibility(speech: .seconds(1)).doubt(about: text) != nil { doubtful += 1 }
            }
        }
        print("Moonshine, odd pieces: \(doubtful) of \(count) are doubtful")
        #expect(count > 30 && doubtful * 20 <= count)
    }

    private func recognition() throws -> PieceRecognition {
        try OfflineRecognizer(SherpaOnnxOfflineModel(folder: SherpaFixtures.moonshineFolder()), .init()).recognition
    }

    /// The text of pieces with these ends. Each piece begins two seconds before the end of the one before.
    private func text(
        of samples: [Int16], cutsAt cuts: [Int], _ recognition: PieceRecognition, joins: Bool = true
    ) throws -> String {
        var joiner = PieceJoiner(isLive: false)
        var texts: [String] = []
        var start = 0
        for end in cuts + [samples.count] {
            let first = max(0, start - 32_000)
            func time(_ sample: Int) -> Duration { AudioFormat.speech.duration(ofFrames: Int64(sample)) }
            let piece = PauseCutter.Piece(
                samples: AudioBuffer(Array(samples[first..<end]), start: .zero).floatSamples, start: time(first),
                overlap: time(start - first), speech: time(start)..<time(end),
                ending: end == samples.count ? .end : .length)
            let text = try recognition.text(of: piece)
            texts += joins ? joiner.add(text, of: piece).compactMap { $0.finalResult?.text } : [text]
            start = end
        }
        return texts.joined(separator: " ")
    }

    @Test func whatTheModelCannotDoIsRefused() async throws {
        let engine = try engine()
        var contextual = RecognitionOptions.fileTranscription()
        contextual.contextualStrings = ["Moonshine"]
        for options in [contextual, .timedTranscription(), .wakeWords([Keyphrase("hello")])] {
            await #expect { _ = try await engine.makeSession(options) } throws: {
                ($0 as? DictationError)?.code == .unsupportedOption
            }
        }
        await #expect { _ = try await engine.makeSession(.fileTranscription("de-DE")) } throws: {
            ($0 as? DictationError)?.code == .unsupportedLocale
        }
    }

    @Test(arguments: [
        "missing", "empty", "random", "cut short", "swapped", "tokens of another model", "changed inside",
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
            to: tiny.appending(path: SherpaOnnxManifest.fileName))
        let inventory = SherpaOnnxInventory(folder: models.path)
        let asset = try #require(try await inventory.assets().first)
        #expect(asset.engine == "sherpa-onnx-offline")
        #expect(asset.locales.contains("en-US"))
        #expect(await inventory.status(of: "tiny") == .installed)
        try await inventory.verify("tiny")
    }
}

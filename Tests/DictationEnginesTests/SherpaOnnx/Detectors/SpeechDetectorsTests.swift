import DictationCore
import DictationTesting
import Foundation
import Testing

@testable import DictationEngines

/// The real networks, with real speech and with what is no speech.
@Suite(.serialized) struct SpeechDetectorsTests {
    /// Returns what share of the windows is speech.
    private func share(of samples: [Float]) throws -> Double {
        var voice = try #require(SherpaFixtures.detectors().load().voice)
        let heard = stride(from: 0, to: samples.count - 160, by: 160).compactMap { voice.add(samples[$0..<$0 + 160]) }
        return Double(heard.count { $0 }) / Double(max(1, heard.count))
    }

    private func speech(_ name: String) throws -> [Float] {
        try SherpaFixtures.samples(name).map { Float($0) / 32_768 }
    }

    @Test(arguments: [1, 0.1, 0.01] as [Float]) func speechIsHeardHoweverLoudItIs(gain: Float) throws {
        #expect(try share(of: speech("jfk").map { $0 * gain }) > 0.5)
    }

    /// A fan, keys, a hum and chords, each as loud as speech.
    @Test(arguments: ["fan", "keys", "hum", "chords"]) func whatIsNoSpeechIsNotHeard(sound: String) throws {
        var random = SplitMix64(seed: 3)
        var brown: Float = 0
        let samples = (0..<160_000).map { index -> Float in
            let white = Float.random(in: -1...1, using: &random)
            let second = Float(index) / 16_000
            brown = 0.98 * brown + 0.02 * white
            switch sound {
            case "fan": return brown * 2
            case "keys": return index % 3_100 < 160 ? white * 0.5 * exp(-Float(index % 3_100) / 40) : 0
            case "hum": return 0.2 * sin(2 * Float.pi * 50 * second)
            default:
                let root: Float = [220, 262, 294, 196][Int(second / 2) % 4]
                return [1, 1.25, 1.5].reduce(0) { $0 + 0.1 * sin(2 * Float.pi * root * $1 * second) }
            }
        }
        #expect(try share(of: samples) < 0.02)
    }

    /// The networks make a live session say what they hear, and make no difference to the order of its results.
    @Test func aSessionTellsTheVoiceAndTheEndsOfTurns() async throws {
        let pause = [Int16](repeating: 2, count: 48_000)
        let samples = try pause + SherpaFixtures.samples("lj-LJ001-0002") + pause
        let engine = try SherpaFixtures.moonshine(detectors: SherpaFixtures.detectors())
        let session = try await engine.makeSession(.liveDictation())
        try session.start(AudioInput(samples.buffers()))
        var (voices, turns, finals): ([SpeechUpdate.Voice], [Duration], [SpeechResult]) = ([], [], [])
        for try await update in session.results {
            switch update {
            case .voice(let voice): voices.append(voice)
            case .turnEnded(let time):
                turns.append(time)
                #expect(!finals.isEmpty)
            case .final(let result): finals.append(result)
            default: break
            }
        }
        #expect(finals.map(\.text).joined(separator: " ").lowercased().contains("comparatively modern"))
        let end = try #require(finals.last?.range.upperBound)
        #expect(turns.count == 1 && turns.allSatisfy { $0 > end && $0 < end + .seconds(2) })
        #expect(voices.first?.speech == nil)
        let speech = try #require(voices.last?.speech)
        #expect(abs(speech.upperBound / .seconds(1) - end / .seconds(1)) < 0.2)
        #expect(zip(voices, voices.dropFirst()).allSatisfy { $0.through < $1.through })
    }

    @Test func buffersMakeNoDifference() async throws {
        let engine = try SherpaFixtures.moonshine(detectors: SherpaFixtures.detectors())
        let samples = try SherpaFixtures.samples("ls-kws1")
        let whole = try await engine.text(samples.buffers(), .fileTranscription())
        #expect(whole.split(separator: " ").count > 20)
        for count in [333, 4_000] {
            #expect(try await engine.text(samples.buffers(of: count), .fileTranscription()) == whole)
        }
    }

    @Test(arguments: ["silero_vad.onnx", "smart-turn.onnx"]) func aDamagedNetworkIsNamed(file: String) throws {
        let folder = try SherpaFixtures.detectors().folder
        let copy = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: copy) }
        try FileManager.default.copyItem(atPath: folder, toPath: copy.path)
        let bytes = try Data(contentsOf: copy.appending(path: file))
        try bytes.prefix(bytes.count / 2).write(to: copy.appending(path: file))
        var error = #expect(throws: DictationError.self) {
            _ = try SherpaOnnxOfflineEngine.Detectors(folder: copy.path).load()
        }
        #expect(error?.code == .modelInvalid && error?.message.contains(file) == true)
        #expect(error?.recovery?.contains("speech-detectors") == true)
        // A helper finds it first.
        error = #expect(throws: DictationError.self) {
            try ModelCheck(model: SherpaOnnxOfflineEngine.Detectors(folder: copy.path)).run()
        }
        #expect(error?.code == .modelInvalid)
        try FileManager.default.removeItem(at: copy.appending(path: file))
        error = #expect(throws: DictationError.self) {
            _ = try SherpaOnnxOfflineEngine.Detectors(folder: copy.path).load()
        }
        #expect(error?.code == .modelInvalid && error?.message.contains(file) == true)
    }
}

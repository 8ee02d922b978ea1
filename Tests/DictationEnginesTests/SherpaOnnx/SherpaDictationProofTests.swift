import DictationCore
import DictationEngines
import DictationTesting
import TestSupport
import Testing

/// What takes much decoding to show, so it is not part of everyday runs.
@Suite struct SherpaDictationProofTests {
    @Test func theEngineKeepsItsPromises() async throws {
        let audio = try SherpaFixtures.samples("mfa-ipa_us_2").buffers()
        let report = try await EngineConformance(SherpaFixtures.engine(), audio: audio, responseTimeout: .seconds(30))
            .run()
        #expect(report.conforms, "\(report)")
        print(report)
    }

    @Test(arguments: [7, 160, 5_119, 1_000_000], [false, true])
    func howAudioIsCutDoesNotChangeTheText(_ frames: Int, _ isLive: Bool) async throws {
        let engine = try SherpaFixtures.engine()
        var samples = try SherpaFixtures.samples("mfa-ipa_us_2")
        if isLive { samples += Array(repeating: 0, count: 32_000) + samples }
        let options: RecognitionOptions = isLive ? .liveDictation() : .fileTranscription()
        let cut = try await engine.results(samples.buffers(of: frames), options).finals
        let whole = try await engine.results(samples.buffers(), options).finals
        #expect(cut == whole)
        #expect(whole.contains { !$0.text.isEmpty })
    }

    @Test(arguments: [0, 3, 30, 300], [RecognitionOptions.Priority.balanced, .accuracy])
    func silenceAndSteadyNoiseGiveNoText(
        _ amplitude: Int16, _ priority: RecognitionOptions.Priority
    ) async throws {
        let engine = try SherpaFixtures.engine()
        var random = SplitMix64(seed: 7)
        let noise = (0..<160_000).map { _ in Int16.random(in: -amplitude...amplitude, using: &random) }
        var options = RecognitionOptions.liveDictation()
        options.priority = priority
        let results = try await engine.results(noise.buffers(), options)
        #expect(results.allSatisfy { $0.result == nil && $0.finalizedThrough != nil })
        #expect(results.finalizedThrough == .seconds(10))
    }
}

import DictationCore
import DictationEngines
import Testing

/// The text of the C API. This test decodes much speech, so it is not part of everyday runs.
@Suite struct SherpaSameTextProofTests {
    @Test(arguments: [("greedy_search", RecognitionOptions.Priority.speed), ("modified_beam_search", .accuracy)])
    func theTextIsThatOfTheCAPI(_ method: String, _ priority: RecognitionOptions.Priority) async throws {
        let engine = try SherpaFixtures.engine(SherpaFixtures.plain)
        var options = RecognitionOptions.fileTranscription()
        options.priority = priority
        let names = try SherpaFixtures.recordings().filter { $0.kind != "long" }.map(\.name)
        let recordings = try names.map(SherpaFixtures.samples)
        let references = try SherpaReference.texts(recordings, method: method)
        for ((name, samples), reference) in zip(zip(names, recordings), references) {
            let text = try await engine.text(samples.buffers(), options)
            #expect(text == reference, "\(name)")
            #expect(!text.isEmpty)
        }
    }
}

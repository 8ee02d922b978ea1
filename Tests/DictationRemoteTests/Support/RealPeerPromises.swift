#if Remote
import DictationCapture
import DictationCore
import DictationTesting
import Testing

@testable import DictationRemote

/// What holds with every server that nobody here wrote.
enum RealPeerPromises {
    /// The engine conforms as far as its capabilities go.
    static func expectConformance(
        of engine: any SpeechEngine, options: RecognitionOptions = .liveDictation()
    ) async throws {
        var suite = EngineConformance(engine, audio: try Fixtures.buffers("mfa-ipa_us_2"), options: options)
        suite.responseTimeout = .seconds(60)
        let report = try await suite.run()
        #expect(report.conforms, "\(report)")
    }

    /// Several requests at once give the text of one after the other.
    static func expectOrder(of engine: any SpeechEngine) async throws {
        let path = try Fixtures.recording("lucier")
        var texts: [String] = []
        for workers in [1, 3] {
            let transcript =
                try await engine
                .transcribe(FileCapturer(path: path), options: .fileTranscription(), workers: workers).transcript()
            #expect(transcript.isComplete)
            texts.append(transcript.text)
        }
        #expect(!texts[0].isEmpty && texts[0] == texts[1])
    }
}
#endif

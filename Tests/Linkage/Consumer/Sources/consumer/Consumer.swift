import DictationBatch
import DictationCapture
import DictationCore
import DictationDesktop
import DictationEngines
import DictationModels
import DictationRemote
import DictationServer
import DictationService
import DictationTesting
import DictationText

/// Dictates with what every product has without a trait, and prints what was understood.
@main struct Consumer {
    static func main() async throws {
        let text = try await VirtualTime.run { _ in
            let microphone = ScriptedCapturer([.tone(440, for: .seconds(2)), .end])
            let engine = ScriptedEngine([.final("no C library needed", at: .seconds(1))])
            // A service needs no web server, unless it shows captions.
            let settings = try ServiceSettings(parsing: Array("{ language: 'en-US' }".utf8), path: "settings.json5")
            let session = try await engine.makeSession(RecognitionOptions(locale: settings.usual.language))

            var buffers: [AudioBuffer] = []
            for try await case .buffer(let buffer) in try await microphone.start(CaptureOptions()) {
                buffers.append(buffer)
            }
            try session.start(AudioInput(buffers))
            _ = try await session.finish()

            var writer = TextWriter()
            var text = ""
            for try await case .final(let result) in session.results { text += writer.write(result) }
            text += writer.finish()
            // Installed models are found without a C library, too.
            return ModelStore(folder: "/nowhere").models(engine: "any").isEmpty ? text : ""
        }
        print(text, terminator: "")
    }
}

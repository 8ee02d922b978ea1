// Declarations that the samples in the documentation use. Scripts/check-snippets compiles this file with the samples.
import DictationCapture
import DictationCore
import DictationEngines
import DictationModels
import DictationService
import DictationTesting

let engine = ScriptedEngine()
let microphone = ScriptedCapturer([.tone(440, for: .seconds(10))])
let capturer = microphone
let file = FileCapturer(path: "talk.flac")
let session = DictationSession(engine: engine, capturer: microphone)
let transcript = Transcript()
let service = DictationService(session: session)
let control: any DictationControl = service
let path = (DictationDoor.standardPath ?? "") + ".sample/socket"
let speech = [AudioBuffer(silence: 48_000, format: .speech)]
let english = ModelAsset(id: "english", engine: "scripted", locales: ["en-US"], name: "English")
let small = ModelAsset(id: "small-model", engine: "scripted", locales: ["en-US"], name: "English, small")

// Stand-ins for the reader's own types. A test that uses one of them is compiled, but does not run.
typealias MyEngine = ScriptedEngine
typealias MyScriptedEngine = ScriptedEngine
typealias MyCapturer = ScriptedCapturer
typealias MyConverters = SampleRateConverters
typealias MyInventory = ScriptedAssetInventory

extension ScriptedCapturer {
    convenience init() { self.init([.end]) }
}

extension ScriptedAssetInventory {
    convenience init() { self.init([ScriptedAsset(small)]) }
}

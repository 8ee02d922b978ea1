// What the samples in the documentation take for granted; Scripts/check-snippets compiles it with them.
import DictationCapture
import DictationCore
import DictationEngines
import DictationModels
import DictationTesting

let engine = ScriptedEngine()
let microphone = ScriptedCapturer([.tone(440, for: .seconds(10))])
let capturer = microphone
let file = FileCapturer(path: "talk.flac")
let session = DictationSession(engine: engine, capturer: microphone)
let transcript = Transcript()
let speech = [AudioBuffer(silence: 48_000, format: .speech)]
let english = ModelAsset(id: "english", engine: "scripted", locales: ["en-US"], name: "English")

// The reader's own types. A test that has one in it is compiled and not run.
typealias MyEngine = ScriptedEngine
typealias MyScriptedEngine = ScriptedEngine
typealias MyCapturer = ScriptedCapturer
typealias MyConverters = SampleRateConverters
typealias MyInventory = ScriptedAssetInventory

extension ScriptedCapturer {
    convenience init() { self.init([.end]) }
}

extension ScriptedAssetInventory {
    convenience init() { self.init([ScriptedAsset(english)]) }
}

import DictationCore
import DictationTesting
import Foundation
import Testing

@testable import DictationEngines

/// A tiny model with random weights. It shows that an engine takes a layout; its text is nonsense.
struct GeneratedModel: CustomTestStringConvertible {
    let name: String
    let layout: ModelLayout
    var testDescription: String { name }

    static let all = [
        GeneratedModel(name: "nemo-transducer", layout: .nemoTransducer),
        GeneratedModel(name: "nemo-ctc", layout: .nemoCTC),
        GeneratedModel(name: "whisper", layout: .whisper),
        GeneratedModel(name: "whisper-en", layout: .whisper),
        GeneratedModel(name: "sense-voice", layout: .senseVoice),
        GeneratedModel(name: "moonshine", layout: .moonshine),
        GeneratedModel(name: "moonshine-in-four-parts", layout: .moonshineInFourParts),
        GeneratedModel(name: "streaming-zipformer", layout: .transducer),
        GeneratedModel(name: "streaming-nemo-transducer", layout: .streamingNemoTransducer),
        GeneratedModel(name: "streaming-nemo-ctc", layout: .streamingNemoCTC),
    ]

    var folder: String {
        get throws { try SherpaFixtures.generatedFolder(name) }
    }

    /// The engine for the model in a folder, the model's own if there is none.
    func engine(in folder: String? = nil) throws -> any SpeechEngine & ParallelTranscribing {
        let folder = try folder ?? self.folder
        if layout.isStreaming {
            var configuration = SherpaOnnxEngine.Configuration()
            configuration.endpointing = .init(silenceAfterText: .seconds(0.8))
            return try SherpaOnnxEngine(folder: folder, locales: ["en-US"], configuration: configuration)
        }
        return try SherpaOnnxOfflineEngine(folder: folder, locales: ["en-US"])
    }

    /// Offline models by name.
    static func offline(_ name: String, detectsLanguage: Bool = false) throws -> SherpaOnnxOfflineEngine {
        var configuration = SherpaOnnxOfflineEngine.Configuration()
        configuration.detectsLanguage = detectsLanguage
        let folder = try SherpaFixtures.generatedFolder(name)
        let model = try SherpaOnnxOfflineEngine.Model(folder: folder)
        return try SherpaOnnxOfflineEngine(
            model: model, locales: model.locales.isEmpty ? ["en-US"] : nil, configuration: configuration)
    }

    /// The samples of a short recording, which the engines hear as speech.
    static func speech() throws -> [Int16] { Array(try SherpaFixtures.samples("jfk").prefix(64_000)) }
}

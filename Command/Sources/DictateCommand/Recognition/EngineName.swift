import DictationCore
import DictationEngines
import DictationText

/// The engines that `--engine` can name.
enum EngineName: String, Sendable, CaseIterable {
    case twoPass = "two-pass"
    case sherpaOnnxOffline = "sherpa-onnx-offline"
    case sherpaOnnx = "sherpa-onnx"
    case pocketSphinx = "pocketsphinx"
    case openAI = "openai"
    case wyoming
    case sherpaServer = "sherpa-server"
    case voskServer = "vosk-server"
    case scripted

    var id: EngineID { EngineID(rawValue: rawValue) }
}

extension EngineID {
    /// The words of 100 that an engine got wrong when it was measured with its usual English model; `nil` if unknown.
    fileprivate var wordErrors: Int? {
        switch self {
        case .twoPass, .sherpaOnnxOffline: 5
        case .sherpaOnnx: 14
        case .pocketSphinx: 45
        default: nil
        }
    }
}

extension EngineCandidate {
    /// The scripted engine with the script in a file, for any locale.
    static func scripted(_ path: String?, locale: SpeechLocale) -> EngineCandidate {
        let model = EngineCandidate.Model(name: path, locales: [locale]) { () throws(DictationError) in
            do throws(DictationError) {
                let script = try path.map { path throws(DictationError) in
                    try ScriptedEngine.Script(contentsOfFile: path)
                }
                return ScriptedEngine(script ?? .counting, locales: [locale])
            } catch {
                // An unreadable script is wrong usage, not an unreadable recording or a missing model.
                guard error.code == .fileUnreadable else { throw error }
                var error = error
                error.code = .invalidInput
                throw error
            }
        }
        return EngineCandidate(.scripted, models: [model])
    }
}

extension FoundEngine {
    /// A sentence for each better engine that does not work, because the user would otherwise get worse text without a
    /// reason. Engines with the same problem share one. So does the first engine that lacks an option.
    var problems: [String] {
        var seen: Set<DictationError> = []
        let broken = failures.filter {
            $0.error.code != .unsupportedOption && !losses.contains($0) && seen.insert($0.error).inserted
        }
        let refusal = failures.first { $0.error.isAboutTypedOption && !$0.error.isAboutTask }
        return broken.map { "\(id) is used, because \($0.engine) does not work. \($0.error.saidOnce)" }
            + [refusal.map { "\(id) is used. \($0.error.namingTypedOption().message)\(cost(insteadOf: $0.engine))" }]
            .compactMap(\.self) + losses.map(\.error.saidOnce)
    }

    /// How much worse the text is than another engine's; empty for one that is as good.
    private func cost(insteadOf better: EngineID) -> String {
        guard let errors = id.wordErrors, let fewer = better.wordErrors, errors > fewer else { return "" }
        return " It gets more words wrong: in our measurements \(errors) of 100, and \(better) \(fewer)."
    }

    /// What a document says about a recording.
    func source(named name: String, in locale: SpeechLocale, audio: HTMLWriter.Audio? = nil) -> TranscriptSource {
        TranscriptSource(name: name, engine: engine.name, model: model, locale: locale, audio: audio)
    }
}

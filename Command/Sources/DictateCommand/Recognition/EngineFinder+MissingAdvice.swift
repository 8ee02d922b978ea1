import DictationCore
import DictationEngines

extension EngineFinder.Missing {
    /// The error, with advice for the user of the command.
    var advisedError: DictationError {
        var error = error
        if isModelMissing {
            let isLocaleFirst = if case .useLocale? = remedies.first { true } else { false }
            let parts = isLocaleFirst ? [installed, offer] : [offer, installed]
            error.recovery = parts.compactMap(\.self).joined(separator: " ")
        } else if error.code == .unsupportedLocale {
            error.recovery = error.recovery?.replacing("Choose ", with: "Use --locale ")
        }
        return error
    }

    /// The error for a user who asked for a model that finds out the language.
    var errorOfDetection: DictationError {
        var error = error
        guard isModelMissing || error.code == .unsupportedOption else { return error }
        if modelFolder == nil {
            (error.code, error.message) = (.modelNotInstalled, "No installed model can find out the language.")
        }
        error.recovery =
            "Leave --detect-language out, or use a model of Whisper: “dictate models install sherpa-onnx-whisper-base --allow-unpinned”."
        return error
    }

    /// The languages that have a model. Without any, and with nothing to install, it says so.
    private var installed: String? {
        let locales = remedies.compactMap { remedy in
            if case .useLocale(let locale) = remedy { locale.identifier } else { nil }
        }
        guard !locales.isEmpty else { return offer == nil ? "No other language has a model either." : nil }
        return "There are models for \(locales.joined(separator: ", ")): choose with --locale."
    }

    /// How to install the best model for the language, or the library of the engine that has one.
    private var offer: String? {
        for remedy in remedies {
            switch remedy {
            case .installLibrary: return remedy.description
            case .install(_, let locale, _):
                return "Install one for \(locale) with \(setupCommand(locale, requiredEngine))."
            default: continue
            }
        }
        return nil
    }
}

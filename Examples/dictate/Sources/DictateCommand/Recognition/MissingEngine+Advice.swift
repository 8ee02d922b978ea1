import DictationCore
import DictationEngines

extension MissingEngine {
    /// The error, with advice for the user of the command.
    var advisedError: DictationError {
        var error = error
        if isModelMissing {
            let isLocaleFirst = if case .useLocale? = remedies.first { true } else { false }
            let parts = isLocaleFirst ? [installed, offer] : [offer, installed]
            error.recovery = parts.compactMap(\.self).joined(separator: " ")
        } else if error.code == .notBuilt {
            error.message = "This dictate was built without sherpa-onnx."
            error.recovery = Self.rebuild + ", or use pocketsphinx."
        } else if error.code == .unsupportedLocale {
            error.recovery = error.recovery?.replacing("Choose ", with: "Use --locale ")
        }
        return error
    }

    private static let rebuild = "Run Scripts/install-sherpa-onnx and build with --traits SherpaOnnx"

    /// The languages that have a model.
    private var installed: String {
        let locales = remedies.compactMap { remedy in
            if case .useLocale(let locale) = remedy { locale.identifier } else { nil }
        }
        guard !locales.isEmpty else { return "No other language has a model either." }
        return "There are models for \(locales.joined(separator: ", ")): choose with --locale."
    }

    /// How to install the best model for the language, or to build the engine that has one.
    private var offer: String? {
        for case .install(let asset, let locale, _) in remedies {
            let leave = asset.isPinned ? "" : "--allow-unpinned "
            return "Install one for \(locale) with 'dictate models install \(leave)\(quotedForShell(asset.id))'."
        }
        let isRebuilt = remedies.contains { if case .enableTrait("SherpaOnnx", _) = $0 { true } else { false } }
        return isRebuilt ? "\(Self.rebuild) for an engine with models for \(locale)." : nil
    }
}

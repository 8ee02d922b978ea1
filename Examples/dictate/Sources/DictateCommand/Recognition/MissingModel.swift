import DictationCore
import DictationEngines
import DictationModels

/// That there is no model for a locale: for which there are models, and how to have one for it.
struct MissingModel: Sendable {
    let finder: EngineFinder

    var error: DictationError {
        get async {
            let engine = finder.name.map { " of \($0.rawValue)" } ?? ""
            return DictationError(
                .modelNotInstalled, "No model\(engine) for \(finder.locale) is installed.",
                recovery: ([installed] + [await offer].compactMap(\.self)).joined(separator: " "))
        }
    }

    private var engines: [EngineName] { EngineName.builtIn.filter { (finder.name ?? $0) == $0 } }

    private var installed: String {
        let locales = near(engines.flatMap { finder.models(of: $0) }.flatMap(\.locales))
        guard !locales.isEmpty else { return "There is none for any other language either." }
        return "There are models for \(locales.map(\.identifier).joined(separator: ", ")): choose with --locale."
    }

    /// How to install a model of the catalogues for the locale, or for another one of the same language: the best engine's,
    /// but one whose contents are known before any that has to be trusted.
    private var offer: String? {
        get async {
            let inventory = CatalogAssetInventory(store: finder.store)
            let known = (try? await inventory.assets()) ?? []
            for locale in near(known.flatMap(\.locales)) where locale.language == finder.locale.language {
                let suited = engines.flatMap { engine in
                    known.filter { $0.engine == engine.id && $0.locales.contains(locale) }
                }
                for asset in suited.filter(\.isPinned) + suited.filter({ !$0.isPinned }) {
                    guard await inventory.status(of: asset.id) == .supported else { continue }
                    let leave = asset.isPinned ? "" : "--allow-unpinned "
                    return
                        "One for \(locale) can be had with 'dictate models install \(leave)\(quotedForShell(asset.id))'."
                }
            }
            return nil
        }
    }

    /// Locales without repetition: the one that was asked for first, then those of the same language.
    private func near(_ locales: [SpeechLocale]) -> [SpeechLocale] {
        func distance(_ other: SpeechLocale) -> Int {
            other == finder.locale ? 0 : other.language == finder.locale.language ? 1 : 2
        }
        return Set(locales).sorted { (distance($0), $0) < (distance($1), $1) }
    }
}

public import DictationCore

extension EngineFinder {
    /// An action that would make an engine available.
    ///
    /// Its description is a sentence to show to a user. New kinds of remedies may be added, so a `switch` needs
    /// `@unknown default`, which can show the description.
    @nonexhaustive public enum Remedy: Sendable, Hashable {
        /// Install a model for a locale. Its `byteCount` is its size, if known, and a model that is not pinned needs the
        /// user's consent. If `package` is not `nil`, the model comes only with that system package.
        case install(ModelAsset, for: SpeechLocale, package: String?)
        /// Install a library that an engine loads when the program runs. The `advice` is a sentence that says how.
        case installLibrary(String, engine: EngineID, advice: String)
        /// Build the app with a trait of swift-dictation.
        case enableTrait(String, engine: EngineID)
        /// Use another locale, which has an installed model.
        case useLocale(SpeechLocale)
    }
}

extension EngineFinder.Remedy: CustomStringConvertible {
    /// The remedy as a sentence in English.
    public var description: String {
        switch self {
        case .install(let asset, let locale, let package?):
            "Install the package “\(package)” for \(locale), “\(asset.name)”."
        case .install(let asset, let locale, nil):
            "Install the model “\(asset.id)” for \(locale)\(Self.size(of: asset))\(Self.consent(to: asset))."
        case .installLibrary(let library, let engine, let advice):
            "Install the library \(library) for the engine “\(engine)”. \(advice)"
        case .enableTrait(let trait, let engine):
            "Enable the “\(trait)” trait of swift-dictation for the engine “\(engine)”, and build again."
        case .useLocale(let locale): "Use another locale: \(locale)."
        }
    }

    private static func size(of asset: ModelAsset) -> String {
        guard let byteCount = asset.byteCount else { return "" }
        return " (\(max(1, byteCount / 1_000_000)) MB)"
    }

    private static func consent(to asset: ModelAsset) -> String {
        asset.isPinned ? "" : " if you trust its source: its files have no known hashes"
    }
}

public import DictationCore

/// What all results of a batch have in common: the engine, the model and the options.
///
/// A batch goes on only with the settings with which it began. Otherwise its texts would not be comparable.
public struct BatchSettings: Sendable, Hashable, Codable {
    /// The engine's name.
    public var engine: String
    /// The model's name; `nil` for an engine without models.
    public var model: String?
    /// The SHA-256 hash of the model's files, in hexadecimal.
    public var modelHash: String?
    /// The path of the manifest, from the root on.
    public var manifest: String
    /// The language.
    public var locale: SpeechLocale
    /// Every option that changes the text, by its name, such as `--words`.
    public var options: [String: String]

    /// Creates settings.
    public init(
        engine: String, model: String? = nil, modelHash: String? = nil, manifest: String,
        locale: SpeechLocale = "en-US",
        options: [String: String] = [:]
    ) {
        self.engine = engine
        self.model = model
        self.modelHash = modelHash
        self.manifest = manifest
        self.locale = locale
        self.options = options
    }

    /// Returns a sentence for each setting that differs from those of `earlier`.
    public func changes(since earlier: BatchSettings) -> [String] {
        var changes: [String] = []
        func compare(_ name: String, _ before: String?, _ now: String?) {
            guard before != now else { return }
            changes.append(
                "\(name) was \(before.map { "“\($0)”" } ?? "not set") and is \(now.map { "“\($0)”" } ?? "not set").")
        }
        compare("The engine", earlier.engine, engine)
        compare("The model", earlier.model, model)
        compare("The model's hash", earlier.modelHash, modelHash)
        compare("The manifest", earlier.manifest, manifest)
        compare("The locale", earlier.locale.identifier, locale.identifier)
        for name in Set(options.keys).union(earlier.options.keys).sorted() {
            compare(name, earlier.options[name], options[name])
        }
        return changes
    }
}

public import DictationCore
import DictationModels
import DictationSystem

/// A PocketSphinx model on the disk: an acoustic model, a dictionary and, for dictation, a language model.
public struct PocketSphinxModel: Sendable, Hashable {
    /// The folder's name.
    public let name: String
    /// The locale of the speech that the model recognizes.
    public let locale: SpeechLocale
    /// The model's folder.
    public let folder: String
    /// The folder of the acoustic model.
    let acousticModel: String
    /// The file with the pronunciations of words.
    let dictionary: String
    /// The file that says which words follow which. A model without one can use grammars but not dictation.
    let languageModel: String?
    let parameters: SphinxParameters
    /// The model's place in a store; `nil` for a model outside a store.
    var place: StorePlace?

    /// A model's place in a store. The store records when the model is used.
    struct StorePlace: Sendable, Hashable {
        let store: ModelStore
        let model: InstalledModel

        func markUsed() { store.markUsed(model) }
    }

    /// Creates a model from the files in a folder.
    ///
    /// The acoustic model lies in the folder itself or in a folder directly below. The dictionary, a `.dict` or `.dic`
    /// file, and the optional language model, an `.lm.bin` file, lie in the folder. They may lie in the folder above if
    /// the folder itself is the acoustic model.
    ///
    /// - Parameters:
    ///   - folder: The folder.
    ///   - locale: The locale. If `nil`, the names of the folder and its files tell it: `en-us` means `en-US`.
    /// - Throws: `DictationError` when a file is missing or damaged, or when no name tells the locale.
    public init(folder: String, locale: SpeechLocale? = nil) throws(DictationError) {
        let folder = PathBytes(folder).withoutSlashAtEnd
        let entries = try FileListing.names(in: folder)
        let acoustic =
            entries.contains("mdef")
            ? folder : entries.map { folder + "/" + $0 }.first { FileListing.isFile($0 + "/mdef") }
        guard let acoustic else {
            throw DictationError(
                .modelInvalid, "The folder “\(folder)” has no acoustic model: no “mdef” in it or directly below it.",
                recovery: "Give the folder of a PocketSphinx model, such as /usr/share/pocketsphinx/model/en-us.")
        }
        var places = [folder]
        if acoustic == folder, let above = PathBytes(folder).folder { places.append(above) }
        var files: [String] = []
        for place in places {
            for name in (try? FileListing.names(in: place)) ?? [] { files.append(place + "/" + name) }
        }
        guard let dictionary = files.first(where: { $0.hasSuffix(".dict") || $0.hasSuffix(".dic") }) else {
            throw DictationError(
                .modelInvalid, "The folder “\(folder)” has no dictionary, which is a “.dict” or “.dic” file.",
                recovery: "Put the model's dictionary beside its acoustic model.")
        }
        let languageModels = files.filter { file in
            file.hasSuffix(".lm.bin") && !file.hasSuffix("-phone.lm.bin")
        }
        let names = [folder, dictionary, languageModels.first ?? "", acoustic].map { PathBytes($0).lastName }
        guard let locale = locale ?? names.lazy.compactMap(Self.locale(named:)).first else {
            throw DictationError(
                .modelInvalid, "No file or folder name in “\(folder)” tells the model's language.",
                recovery: "Name the folder after the language, such as “en-us”, or give the locale.")
        }
        self.folder = folder
        name = PathBytes(folder).lastName
        self.locale = locale
        acousticModel = acoustic
        self.dictionary = dictionary
        languageModel = languageModels.first
        parameters = try SphinxParameters(
            String(decoding: try FileListing.contents(of: acoustic + "/feat.params", limit: 100_000), as: UTF8.self))
    }

    /// The folders to look for models in: the user's folder, then the system's folders.
    public static var standardFolders: [String] {
        let user = UserFolders.data().map { [$0 + "/pocketsphinx/model"] } ?? []
        return user + ["/usr/local/share/pocketsphinx/model", "/usr/share/pocketsphinx/model"]
    }

    /// Returns the models in `folders`, and leaves out folders without a complete model.
    public static func installed(folders: [String] = standardFolders) -> [PocketSphinxModel] {
        folders.flatMap { folder in
            ((try? FileListing.names(in: folder)) ?? []).compactMap { name in
                try? PocketSphinxModel(folder: folder + "/" + name)
            }
        }
    }

    /// Returns the locale in a file's name: `en-US` for `cmudict-en-us.dict`, `de` for `de`.
    private static func locale(named name: String) -> SpeechLocale? {
        let stem = name.prefix { $0 != "." }
        let parts = stem.split(whereSeparator: { $0 == "-" || $0 == "_" })
        func isLetters(_ text: Substring, _ counts: ClosedRange<Int>) -> Bool {
            counts.contains(text.count) && text.allSatisfy { $0.isASCII && $0.isLetter }
        }
        for (language, region) in zip(parts, parts.dropFirst())
        where isLetters(language, 2...2) && isLetters(region, 2...2) {
            return SpeechLocale("\(language)-\(region)")
        }
        guard parts.count == 1, isLetters(parts[0], 2...3) else { return nil }
        return SpeechLocale(String(parts[0]))
    }
}

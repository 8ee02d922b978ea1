public import DictationCore
import DictationFiles
import FoundationEssentials

/// Which models there are and where to get them: a list that anyone can write and host, as JSON.
///
///     {"format": 1, "name": "Our models", "models": [{
///         "id": "our-model", "engine": "sherpa-onnx", "locales": ["en-US"], "name": "Ours", "license": "MIT",
///         "downloads": [{
///             "mirrors": ["https://example.org/our-model.tar.gz"], "archive": "our-model",
///             "sha256": "…", "byteCount": 1234
///         }]
///     }]}
public struct ModelCatalog: Sendable, Hashable, Codable {
    /// The version of the list's form; this library reads 1.
    public var format: Int
    /// What a person calls the list.
    public var name: String
    /// The models.
    public var models: [CatalogModel]

    /// Makes a list.
    public init(name: String, models: [CatalogModel]) {
        format = 1
        self.name = name
        self.models = models
    }

    /// Reads a list that isn't signed. Throws `invalidInput` when it isn't one, or when something in it makes no sense.
    public init(json: [UInt8]) throws(DictationError) {
        struct Head: Decodable { var format: Int }
        do {
            let data = Data(json)
            let head = try JSONDecoder().decode(Head.self, from: data)
            guard head.format == 1 else {
                throw DictationError(
                    .invalidInput, "The catalogue has format \(head.format), and this version reads format 1.",
                    recovery: "Update the app, or use a catalogue of format 1.")
            }
            self = try JSONDecoder().decode(ModelCatalog.self, from: data)
        } catch let error as DictationError {
            throw error
        } catch {
            throw DictationError(
                .invalidInput, "The catalogue is not readable: \(visible("\(error)")).",
                recovery: "Correct it; the documentation of ModelCatalog shows the form.")
        }
        try validate()
    }

    /// The list as JSON.
    public func json() throws(DictationError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        do { return Array(try encoder.encode(self)) } catch {
            throw DictationError(.invalidInput, "The catalogue can't be written: \(error).")
        }
    }

    /// Each is looked for whenever models are listed.
    private static let mostModels = 1_000

    /// Throws `invalidInput` when something in the list makes no sense.
    public func validate() throws(DictationError) {
        guard name.isPlainLabel else {
            throw DictationError(
                .invalidInput, "The catalogue's name is long or has control characters.",
                recovery: "Use one plain line of up to 200 bytes.")
        }
        guard models.count <= Self.mostModels else {
            throw DictationError(
                .invalidInput, "The catalogue has \(models.count) models, more than \(Self.mostModels).",
                recovery: "Use a shorter one.")
        }
        var ids: Set<String> = []
        for model in models {
            try model.check()
            guard ids.insert(model.id).inserted else {
                throw DictationError(
                    .invalidInput, "The catalogue names the model '\(model.id)' twice.",
                    recovery: "Give each model its own id.")
            }
        }
    }
}

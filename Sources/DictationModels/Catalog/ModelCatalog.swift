public import DictationCore
import DictationSystem
import FoundationEssentials

/// A list of models and where to download them. Anyone can write such a list as JSON and host it.
/// ``CatalogModel/Wheel`` shows the JSON of a wheel.
///
///     {"format": 1, "name": "Our models", "models": [{
///         "id": "our-model", "engine": "sherpa-onnx", "locales": ["en-US"], "name": "Ours", "license": "MIT",
///         "downloads": [{
///             "mirrors": ["https://example.org/our-model.tar.gz"], "archive": "our-model",
///             "sha256": "…", "byteCount": 1234
///         }]
///     }]}
public struct ModelCatalog: Sendable, Hashable, Codable {
    /// The version of the format. This library reads version 1.
    public var format: Int
    /// The name to show to users.
    public var name: String
    /// The models.
    public var models: [CatalogModel]

    /// Creates a catalog.
    public init(name: String, models: [CatalogModel]) {
        format = 1
        self.name = name
        self.models = models
    }

    /// Creates a catalog from unsigned JSON.
    ///
    /// - Throws: `invalidInput` if the JSON is not a valid catalog.
    public init(json: [UInt8]) throws(DictationError) {
        struct Head: Decodable { var format: Int }
        do {
            let data = Data(json)
            let head = try JSONDecoder().decode(Head.self, from: data)
            guard head.format == 1 else {
                throw DictationError(
                    .invalidInput, "The catalog has format \(head.format), but this version reads only format 1.",
                    recovery: "Update the app, or use a catalog of format 1.")
            }
            self = try JSONDecoder().decode(ModelCatalog.self, from: data)
        } catch let error as DictationError {
            throw error
        } catch {
            throw DictationError(
                .invalidInput, "The catalog can't be read: \((error as? DecodingError)?.words ?? "\(error)").",
                recovery: "Correct it. The documentation of ModelCatalog shows the format.")
        }
        try validate()
    }

    /// Returns the catalog as unsigned JSON.
    ///
    /// - Throws: `invalidInput` if the catalog can't be encoded.
    public func json() throws(DictationError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        do { return Array(try encoder.encode(self)) } catch {
            throw DictationError(.invalidInput, "The catalog can't be written: \(error).")
        }
    }

    /// The greatest number of models. A listing looks for each of them on the disk, so a longer catalog would be slow.
    private static let mostModels = 1_000

    /// Checks the catalog.
    ///
    /// - Throws: `invalidInput` if an entry makes no sense or could do harm.
    public func validate() throws(DictationError) {
        guard name.isPlainLabel else {
            throw DictationError(
                .invalidInput, "The catalog's name is too long, or contains control or invisible characters.",
                recovery: "Use one line of plain text of up to 200 bytes.")
        }
        guard models.count <= Self.mostModels else {
            throw DictationError(
                .invalidInput, "The catalog has \(models.count) models, more than \(Self.mostModels).",
                recovery: "Split it into several catalogs.")
        }
        var ids: Set<String> = []
        for model in models {
            try model.check()
            guard ids.insert(model.id).inserted else {
                throw DictationError(
                    .invalidInput, "The catalog names the model “\(model.id)” twice.",
                    recovery: "Give each model its own id.")
            }
        }
    }
}

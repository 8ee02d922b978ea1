public import DictationCore
import DictationSystem
import FoundationEssentials

extension SherpaOnnxInventory {
    /// The file `dictation-model.json` in a model's folder. It holds facts that the model's own files lack.
    ///
    ///     { "name": "Zipformer 3.3M", "locales": ["en-US"], "license": "Apache-2.0", "byteCount": 6123456 }
    public struct Manifest: Sendable, Hashable, Codable {
        /// The model's name for people.
        public var name: String
        /// The model's locales.
        public var locales: [SpeechLocale]
        /// The model's license.
        public var license: String?
        /// The size of the model's files.
        public var byteCount: Int64?

        /// The name of the manifest file.
        public static let fileName = "dictation-model.json"

        /// Creates a manifest.
        public init(name: String, locales: [SpeechLocale], license: String? = nil, byteCount: Int64? = nil) {
            self.name = name
            self.locales = locales
            self.license = license
            self.byteCount = byteCount
        }

        /// Returns the locales of a model, if any are known.
        static func locales(_ known: [SpeechLocale]?, of folder: String) throws(DictationError) -> [SpeechLocale] {
            guard let locales = known, !locales.isEmpty else {
                throw DictationError(
                    .invalidInput, "The locales of the model in \(folder) are unknown.",
                    recovery: "Give the model's locales, or put a \(fileName) into its folder.")
            }
            return locales
        }

        /// Creates the manifest from the file in a folder, or returns `nil` when the folder has none.
        init?(beside folder: String) throws(DictationError) {
            let path = folder + "/" + Self.fileName
            guard access(path, F_OK) == 0 else { return nil }
            let file = try OnnxBytes(at: path)
            guard file.size <= 1 << 20 else { throw file.damaged("it is too large for a manifest") }
            let bytes = try file.bytes(0..<file.size)
            do { self = try JSONDecoder().decode(Self.self, from: Data(bytes)) } catch {
                throw file.damaged("it is not a manifest with a name and locales")
            }
            guard !locales.isEmpty else { throw file.damaged("it names no locale") }
        }
    }
}

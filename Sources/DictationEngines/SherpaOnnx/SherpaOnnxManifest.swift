#if SherpaOnnx
public import DictationCore
import FoundationEssentials
import Glibc

/// The small file `dictation-model.json` beside a model, which says what the model's own files don't.
///
///     { "name": "Zipformer 3.3M", "locales": ["en-US"], "license": "Apache-2.0", "byteCount": 6123456 }
public struct SherpaOnnxManifest: Sendable, Hashable, Codable {
    /// What a person calls the model.
    public var name: String
    /// The locales that it is for.
    public var locales: [SpeechLocale]
    /// Its license.
    public var license: String?
    /// The size of its files.
    public var byteCount: Int64?

    /// The file's name.
    public static let fileName = "dictation-model.json"

    /// Makes a manifest.
    public init(name: String, locales: [SpeechLocale], license: String? = nil, byteCount: Int64? = nil) {
        self.name = name
        self.locales = locales
        self.license = license
        self.byteCount = byteCount
    }

    /// The locales that a model is used for: those that are given, or else those of its manifest.
    static func locales(
        _ given: [SpeechLocale]?, or manifest: SherpaOnnxManifest?, of folder: String
    ) throws(DictationError) -> [SpeechLocale] {
        guard let locales = given ?? manifest?.locales, !locales.isEmpty else {
            throw DictationError(
                .invalidInput, "Nothing says which locales the model in \(folder) is for.",
                recovery: "Give its locales, or put \(fileName) beside it.")
        }
        return locales
    }

    /// Reads the manifest in a folder; `nil` when there is none.
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
#endif

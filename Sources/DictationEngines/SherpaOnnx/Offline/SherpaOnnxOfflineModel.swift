public import DictationCore
import DictationFiles

/// A folder with an offline model, which recognizes a stretch of speech as a whole. Only Moonshine models work.
///
/// The folder contains `encoder_model` and `decoder_model_merged`, each as `.ort` or `.onnx`, and `tokens.txt`, whose
/// pieces are in Base64. `moonshine-tiny-en` of the built-in catalog is such a folder.
public struct SherpaOnnxOfflineModel: Sendable {
    /// The folder.
    public let folder: String
    /// The encoder's file.
    let encoder: String
    /// The decoder's file.
    let decoder: String
    /// The vocabulary's file.
    let tokens: String
    /// The manifest in the folder; `nil` when the folder has none.
    public let manifest: SherpaOnnxManifest?

    static let encoderName = "encoder_model"
    static let decoderName = "decoder_model_merged"

    /// Creates a model from the files in a folder, and checks them.
    ///
    /// - Parameter folder: The folder.
    /// - Throws: `DictationError` when a file is missing or damaged.
    public init(folder: String) throws(DictationError) {
        self.folder = folder
        encoder = try Self.network(Self.encoderName, in: folder)
        decoder = try Self.network(Self.decoderName, in: folder)
        tokens = folder + "/tokens.txt"
        try Self.checkTokens(tokens)
        manifest = try SherpaOnnxManifest(beside: folder)
    }

    /// Whether a folder has files with the names of an offline model. Does not check their contents.
    public static func isModel(folder: String) -> Bool {
        let names = (try? FileListing.names(in: folder)) ?? []
        return [encoderName, decoderName].allSatisfy { part in names.contains { $0.hasPrefix(part + ".") } }
    }

    private static func network(_ part: String, in folder: String) throws(DictationError) -> String {
        let paths = [".ort", ".onnx"].map { folder + "/" + part + $0 }.filter(FileListing.isFile)
        guard let path = paths.first else {
            throw DictationError(
                .modelNotInstalled, "The model folder \(folder) has neither \(part).ort nor \(part).onnx.",
                recovery: "Install the model 'moonshine-tiny-en', or give the folder of another.")
        }
        guard paths.count == 1 else {
            throw DictationError(
                .modelInvalid, "The model folder \(folder) has both \(part).ort and \(part).onnx.",
                recovery: "Keep the files of only one model there.")
        }
        if path.hasSuffix(".onnx") { _ = try OnnxFile(at: path) } else { try checkRuntimeFormat(path) }
        return path
    }

    /// Checks that a file is in ONNX Runtime's own format, which begins with the offset of its root and the mark
    /// `ORTM`.
    private static func checkRuntimeFormat(_ path: String) throws(DictationError) {
        let file = try OnnxBytes(at: path)
        guard file.size > 8 else { throw file.damaged("it is cut short") }
        let head = try file.bytes(0..<8)
        let root = head[..<4].reversed().reduce(0) { $0 << 8 | Int($1) }
        guard Array(head[4...]) == Array("ORTM".utf8), root < file.size else {
            throw file.damaged("it is not in ONNX Runtime's format")
        }
    }

    private static func checkTokens(_ path: String) throws(DictationError) {
        let table = try TokenTable(at: path)
        // "PC9zPg==" is the end mark of a text, "</s>", in Base64.
        guard table.pieces.contains("PC9zPg=="), table.pieces.allSatisfy(isBase64) else {
            throw DictationError(
                .modelInvalid, "The vocabulary \(path) is not Moonshine's: its pieces are not in Base64.",
                recovery: "Install the model again, with all files from one source.")
        }
    }

    private static func isBase64(_ piece: String) -> Bool {
        piece.utf8.count.isMultiple(of: 4)
            && piece.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"): true
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"): true
                default: byte == UInt8(ascii: "=")
                }
            }
    }
}

extension SherpaOnnxOfflineModel: CheckedModel {
    var kind: SherpaOnnxModelKind { .moonshine }
    var files: [String] { [encoder, decoder, tokens] }
}

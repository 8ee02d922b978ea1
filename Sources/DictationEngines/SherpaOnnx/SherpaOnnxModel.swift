public import DictationCore
import DictationFiles
import DictationPlatform

/// A folder with a streaming transducer: encoder, decoder and joiner as ONNX files, and `tokens.txt`.
///
/// The contents of a file decide which part it is; its name must not contradict them. If the folder has both float and
/// int8 files, the engine takes the encoder and the joiner in int8, which halves the time and hardly costs accuracy. It
/// takes the decoder in float, because the decoder is small. Contextual strings and keyphrases need `bpe.model`.
public struct SherpaOnnxModel: Sendable {
    /// The folder.
    public let folder: String
    /// The encoder's file.
    let encoder: String
    /// The decoder's file.
    let decoder: String
    /// The joiner's file.
    let joiner: String
    /// The vocabulary's file.
    let tokens: String
    /// The word pieces' file; `nil` when the folder has none.
    let wordPieces: String?
    /// The manifest in the folder; `nil` when the folder has none.
    public let manifest: SherpaOnnxManifest?

    let table: TokenTable
    let pieces: PieceEncoder?
    /// The number of feature frames of 10 ms in a chunk.
    let chunkFrames: Int
    /// The number of feature frames that the encoder reads for a chunk.
    let windowFrames: Int
    /// Whether the encoder can decode several streams in one step. Some exports are fixed to one stream.
    let decodesTogether: Bool

    /// Which files to take when the folder has a part both in float and in int8.
    public enum Precision: String, Sendable, CaseIterable {
        /// Encoder and joiner in int8, the decoder in float.
        case automatic
        /// Float for every part that has both.
        case float
        /// int8 for every part that has both.
        case int8
    }

    /// Creates a model from the files in a folder, and checks them.
    ///
    /// - Parameters:
    ///   - folder: The folder.
    ///   - precision: Which files to take when the folder has a part both in float and in int8.
    /// - Throws: `DictationError` when a file is missing or damaged, or when the files do not belong together.
    public init(folder: String, precision: Precision = .automatic) throws(DictationError) {
        self.folder = folder
        let parts = try Self.parts(in: folder)
        let encoder = try Self.choose(.encoder, from: parts, precision, in: folder)
        let decoder = try Self.choose(.decoder, from: parts, precision, in: folder)
        let joiner = try Self.choose(.joiner, from: parts, precision, in: folder)
        (self.encoder, self.decoder, self.joiner) = (encoder.path, decoder.path, joiner.path)
        tokens = folder + "/tokens.txt"
        table = try TokenTable(at: tokens)
        manifest = try SherpaOnnxManifest(beside: folder)

        guard let chunk = encoder.number("decode_chunk_len"), let window = encoder.number("T") else {
            throw Self.invalid(encoder, "it is not a streaming encoder", "Choose a model made for streaming.")
        }
        (chunkFrames, windowFrames) = (chunk, max(window, chunk))
        decodesTogether = encoder.stackableInputs.contains("x")
        guard decoder.number("context_size") != nil, let vocabulary = decoder.number("vocab_size") else {
            throw Self.invalid(decoder, "it does not say the size of its vocabulary")
        }
        guard joiner.number("joiner_dim") != nil else {
            throw Self.invalid(joiner, "it does not say its dimension")
        }
        guard vocabulary == table.count else {
            throw Self.invalid(decoder, "it is for \(vocabulary) tokens, but \(tokens) has \(table.count)")
        }
        let wordPieces = folder + "/bpe.model"
        if access(wordPieces, F_OK) == 0 {
            self.wordPieces = wordPieces
            pieces = try PieceEncoder(at: wordPieces, for: table)
        } else {
            self.wordPieces = nil
            pieces = nil
        }
    }

    private static func parts(in folder: String) throws(DictationError) -> [OnnxFile] {
        let names: [String]
        do throws(DictationError) { names = try FileListing.names(in: folder) } catch {
            throw DictationError(
                .modelNotInstalled, "There is no model folder \(folder).",
                recovery: "Install a streaming transducer there, or give the folder that holds one.",
                underlying: error.underlying)
        }
        var parts: [OnnxFile] = []
        for name in names where name.hasSuffix(".onnx") {
            let file = try OnnxFile(at: folder + "/" + name)
            let named = OnnxFile.Part.allCases.first { name.lowercased().hasPrefix($0.rawValue) }
            if let named, file.part != named {
                let content = file.part.map { "a transducer's \($0.rawValue)" } ?? "something else"
                throw invalid(file, "its name says \(named.rawValue), but it holds \(content)")
            }
            if file.part != nil { parts.append(file) }
        }
        return parts
    }

    private static func choose(
        _ part: OnnxFile.Part, from files: [OnnxFile], _ precision: Precision, in folder: String
    ) throws(DictationError) -> OnnxFile {
        let candidates = files.filter { $0.part == part }
        let wantsQuantized = precision == .int8 || precision == .automatic && part != .decoder
        let preferred = candidates.filter { $0.isQuantized == wantsQuantized }
        let chosen = preferred.isEmpty ? candidates : preferred
        guard let file = chosen.first else {
            throw DictationError(
                .modelNotInstalled, "The model folder \(folder) has no \(part.rawValue).",
                recovery: "Put the model's encoder, decoder and joiner (.onnx) and its tokens.txt there.")
        }
        guard chosen.count == 1 else {
            let names = chosen.map { String($0.path.dropFirst(folder.count + 1)) }.joined(separator: ", ")
            throw DictationError(
                .modelInvalid, "The model folder \(folder) has more than one \(part.rawValue): \(names).",
                recovery: "Keep the files of only one model there.")
        }
        return file
    }

    private static func invalid(
        _ file: OnnxFile, _ reason: String,
        _ recovery: String = "Install the model again, with all files from one source."
    ) -> DictationError {
        DictationError(.modelInvalid, "The model file \(file.path) can't be used: \(reason).", recovery: recovery)
    }
}

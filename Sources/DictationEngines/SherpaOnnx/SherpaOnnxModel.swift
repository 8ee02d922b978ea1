#if SherpaOnnx
public import DictationCore
import DictationFiles
import Glibc

/// A folder with a streaming transducer: encoder, decoder and joiner as ONNX files, and `tokens.txt`.
///
/// The files are known by what they hold; their names only have to agree with it. Where there are float and int8
/// files, the rule is: encoder and joiner in int8, which costs next to no accuracy and halves the time; the
/// decoder in float, which is small. `bpe.model` is needed for contextual strings and keyphrases.
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
    /// The word pieces' file, where there is one.
    let wordPieces: String?
    /// What the manifest beside the model says, where there is one.
    public let manifest: SherpaOnnxManifest?

    let table: TokenTable
    let pieces: PieceEncoder?
    /// How many feature frames of 10 ms a chunk has, and how many a chunk sees.
    let chunkFrames: Int
    let windowFrames: Int
    /// Whether several streams can go through the encoder in one step; some exports are fixed to one.
    let decodesTogether: Bool

    /// Which file to use for a part that has several.
    public enum Precision: String, Sendable, CaseIterable {
        /// Encoder and joiner in int8, the decoder in float.
        case automatic
        /// Float wherever there is a choice.
        case float
        /// int8 wherever there is a choice.
        case int8
    }

    /// Finds and checks the files in a folder.
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
            throw Self.invalid(decoder, "it is for \(vocabulary) tokens and \(tokens) has \(table.count)")
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
                throw invalid(file, "its name says \(named.rawValue) and it holds \(content)")
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
                recovery: "Leave the files of one model there.")
        }
        return file
    }

    private static func invalid(
        _ file: OnnxFile, _ reason: String,
        _ recovery: String = "Install the model again, all its files from one source."
    ) -> DictationError {
        DictationError(.modelInvalid, "The model file \(file.path) can't be used: \(reason).", recovery: recovery)
    }
}
#endif

public import DictationCore
import DictationSystem

extension SherpaOnnxEngine {
    /// A folder with a streaming model: a transducer of icefall, such as a zipformer, or a transducer or CTC model of NeMo.
    ///
    /// The contents of a file decide which part it is; its name must not contradict them. If the folder has both float and
    /// int8 files, the engine takes the encoder and the joiner in int8, which halves the time and hardly costs accuracy. It
    /// takes a zipformer's decoder in float, because the decoder is small. Contextual strings and keyphrases need a
    /// transducer of icefall with `bpe.model`.
    public struct Model: Sendable {
        /// The folder.
        public let folder: String
        /// The manifest in the folder; `nil` when the folder has none.
        public let manifest: SherpaOnnxInventory.Manifest?

        /// Which files to take when the folder has a part both in float and in int8.
        let precision: Precision
        let layout: ModelLayout
        /// The networks and the vocabulary, in the order of the layout.
        let files: [String]
        /// The word pieces' file; `nil` when the folder has none.
        let wordPieces: String?
        let table: TokenTable
        let pieces: PieceEncoder?
        /// The number of feature frames of 10 ms in a chunk.
        let chunkFrames: Int
        /// The number of feature frames that the encoder reads for a chunk.
        let windowFrames: Int
        /// Whether the encoder can decode several streams in one step. Some exports are fixed to one stream.
        let decodesTogether: Bool
        /// The length of a frame of the network, relative to the length that the C library takes for granted.
        let timeScale: Double

        /// Which files to take when the folder has a part both in float and in int8.
        public enum Precision: String, Sendable, CaseIterable, Codable {
            /// A zipformer's decoder in float, everything else in int8.
            case automatic
            /// Float for every part that has both.
            case float
            /// int8 for every part that has both.
            case int8

            fileprivate func prefersQuantized(_ role: NetworkRole) -> Bool {
                self == .int8 || self == .automatic && role != .decoder
            }
        }

        /// Creates a model from the files in a folder, and checks them.
        ///
        /// - Parameters:
        ///   - folder: The folder.
        ///   - precision: Which files to take when the folder has a part both in float and in int8.
        /// - Throws: `DictationError` when a file is missing or damaged, or when the files do not belong together.
        public init(folder: String, precision: Precision = .automatic) throws(DictationError) {
            let files = try ModelFiles(folder: folder, prefersQuantized: precision.prefersQuantized)
            let encoder = files.networks[0]
            let isZipformer = files.layout == .transducer
            guard files.layout.isStreaming,
                let chunk = encoder.number(isZipformer ? "decode_chunk_len" : "chunk_shift"),
                let window = encoder.number(isZipformer ? "T" : "window_size")
            else {
                throw encoder.unusable(
                    "it is not for streaming", "Use the engine “sherpa-onnx-offline”, or another model.")
            }
            if isZipformer { try Self.checkTransducer(files.networks) }
            self.folder = folder
            self.precision = precision
            self.files = files.paths
            layout = files.layout
            table = files.table
            manifest = try SherpaOnnxInventory.Manifest(beside: folder)
            (chunkFrames, windowFrames) = (chunk, max(window, chunk))
            decodesTogether = encoder.stackableInputs.contains(isZipformer ? "x" : "audio_signal")
            timeScale = try Self.timeScale(files.layout, encoder)
            let wordPieces = folder + "/bpe.model"
            if isZipformer, access(wordPieces, F_OK) == 0 {
                self.wordPieces = wordPieces
                pieces = try PieceEncoder(at: wordPieces, for: table)
            } else {
                self.wordPieces = nil
                pieces = nil
            }
        }

        private static func checkTransducer(_ networks: [OnnxFile]) throws(DictationError) {
            guard networks[1].number("context_size") != nil else {
                throw networks[1].unusable("it does not say the number of tokens that it gets")
            }
            guard networks[2].number("joiner_dim") != nil else {
                throw networks[2].unusable("it does not say its dimension")
            }
        }

        /// The C library takes four feature frames for each frame of any streaming CTC model, but NeMo's have eight.
        private static func timeScale(_ layout: ModelLayout, _ encoder: OnnxFile) throws(DictationError) -> Double {
            guard layout == .streamingNemoCTC else { return 1 }
            guard let factor = encoder.number("subsampling_factor"), factor <= 64 else {
                throw encoder.unusable("it does not say the length of its frames")
            }
            return Double(factor) / 4
        }
    }
}

extension SherpaOnnxEngine.Model: CheckedModel {}

public import DictationCore

extension SherpaOnnxOfflineEngine {
    /// A folder with an offline model, which recognizes a stretch of speech as a whole.
    ///
    /// The contents of the files decide which kind of model it is: a transducer or CTC model of NeMo (such as Parakeet),
    /// Whisper, SenseVoice, or Moonshine with one decoder or with two. A folder holds the files of one model, as its
    /// publisher's archive does. Its vocabulary is `tokens.txt`, or `tiny-tokens.txt` and similar names for Whisper.
    public struct Model: Sendable {
        /// The folder.
        public let folder: String
        /// The manifest in the folder; `nil` when the folder has none.
        public let manifest: SherpaOnnxInventory.Manifest?

        let layout: ModelLayout
        /// The networks and the vocabulary, in the order of the layout.
        let files: [String]
        let languages: ModelLanguages

        /// Creates a model from the files in a folder, and checks them.
        ///
        /// - Parameter folder: The folder.
        /// - Throws: `DictationError` when a file is missing or damaged, or when the files do not belong together.
        public init(folder: String) throws(DictationError) {
            let files = try ModelFiles(folder: folder)
            guard !files.layout.isStreaming else {
                throw files.networks[0].unusable("it is for streaming", "Use SherpaOnnxEngine, or another model.")
            }
            self.folder = folder
            self.files = files.paths
            layout = files.layout
            languages = ModelLanguages(files)
            manifest = try SherpaOnnxInventory.Manifest(beside: folder)
        }

        /// The model's locales, from its manifest or else from its files; empty if neither tells. The files of Whisper,
        /// SenseVoice and Parakeet v3 tell.
        public var locales: [SpeechLocale] { manifest?.locales ?? languages.locales }

        /// Whether the model can find out the language by itself. See
        /// ``SherpaOnnxOfflineEngine/Configuration/detectsLanguage``.
        public var canDetectLanguage: Bool { languages.canDetect }

        /// Whether the model returns the times of words.
        public var hasWordTimes: Bool { layout.hasTokenTimes }

        /// Whether a folder holds an offline model, judged by the contents of its files. Returns `false` if a file is
        /// damaged.
        public static func isModel(folder: String) -> Bool { ModelFiles.layout(in: folder)?.isStreaming == false }
    }
}

extension SherpaOnnxOfflineEngine.Model: CheckedModel {}

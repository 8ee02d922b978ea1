import CSherpaOnnx
import DictationCore

/// The C library's recognizer for whole stretches, a loaded model that any number of sessions share.
final class OfflineRecognizer: Sendable {
    private let library: SherpaOnnxLibrary
    private let handle: LibraryHandle
    /// How sessions with this model know what is speech.
    let hearing: Hearing

    /// The fewest samples that every model can decode. Less audio than this gets silence after it.
    private static let fewestSamples = 4_000

    /// Loads a model.
    ///
    /// - Parameter language: The model's code for the language that it writes; `nil` if it takes none, or is to find it
    ///   out.
    init(
        _ model: any CheckedModel, language: String? = nil, _ setup: SherpaOnnxOfflineEngine.Configuration
    ) throws(DictationError) {
        guard model.files.count == model.layout.fileCount else { throw Recognizer.refused(model.folder) }
        let library = try SherpaOnnxLibrary.load()
        hearing = try setup.detectors?.load() ?? .loudness
        let fixed = ["cpu", SearchMethod.greedy.rawValue, language ?? "", "transcribe", "nemo_transducer", "auto"]
        let handle = withCStrings(model.files + fixed) { strings in
            var config = SherpaOfflineConfig()
            config.features = .speech
            config.model = SherpaOfflineModel(
                model.layout, files: Array(strings.dropLast(fixed.count)), options: Array(strings.suffix(fixed.count)),
                hasLanguage: language != nil)
            config.model.threads = Int32(setup.threadsPerStep)
            config.search = strings[model.layout.fileCount + 1]
            return library.functions.createOfflineRecognizer(&config)
        }
        guard let handle else { throw Recognizer.refused(model.folder) }
        self.library = library
        self.handle = LibraryHandle(pointer: handle)
    }

    deinit { library.functions.destroyOfflineRecognizer(handle.pointer) }

    /// Returns the text of some samples, which may last half a minute at most.
    func text(of samples: [Float]) throws(DictationError) -> String { try heard(in: samples).text }

    /// Returns the text and the tokens of some samples. A layout without times has no tokens here.
    func heard(in samples: [Float]) throws(DictationError) -> (text: String, tokens: [Token]) {
        guard let stream = library.functions.createOfflineStream(handle.pointer) else {
            throw DictationError(.engineFailed, "sherpa-onnx could not make a stream.")
        }
        defer { library.functions.destroyOfflineStream(stream) }
        let missing = max(0, Self.fewestSamples - samples.count)
        let samples = missing == 0 ? samples : samples + Array(repeating: 0, count: missing)
        samples.withUnsafeBufferPointer {
            library.functions.acceptOffline(stream, 16_000, $0.baseAddress, Int32(clamping: $0.count))
        }
        library.functions.decodeOffline(handle.pointer, stream)
        guard let result = library.functions.offlineResult(stream) else { return ("", []) }
        defer { library.functions.destroyOfflineResult(result) }
        let text = result.pointee.text.map { String(cString: $0) } ?? ""
        let times = result.pointee.times
        let tokens = times == nil ? [] : Token.list(result.pointee.tokens, times, count: Int(result.pointee.count))
        return (text.split(whereSeparator: \.isWhitespace).joined(separator: " "), tokens)
    }
}

extension SherpaOfflineModel {
    /// Creates the configuration of a model.
    fileprivate init(
        _ layout: ModelLayout, files: [UnsafePointer<CChar>?], options: [UnsafePointer<CChar>?], hasLanguage: Bool
    ) {
        self.init()
        processor = options[0]
        tokens = files.last ?? nil
        switch layout {
        case .nemoTransducer:
            (encoder, decoder, joiner) = (files[0], files[1], files[2])
            kind = options[4]
        case .nemoCTC: nemoCTC = files[0]
        case .whisper:
            (whisperEncoder, whisperDecoder) = (files[0], files[1])
            (whisperLanguage, whisperTask) = (options[2], options[3])
        case .senseVoice:
            senseVoice = files[0]
            senseVoiceLanguage = options[hasLanguage ? 2 : 5]
            senseVoicePunctuates = 1
        case .moonshine: (moonshineEncoder, moonshineDecoder) = (files[0], files[1])
        case .moonshineInFourParts:
            (moonshinePreprocessor, moonshineEncoder) = (files[0], files[1])
            (moonshineFirstDecoder, moonshineNextDecoder) = (files[2], files[3])
        case .transducer, .streamingNemoTransducer, .streamingNemoCTC: break
        }
    }
}

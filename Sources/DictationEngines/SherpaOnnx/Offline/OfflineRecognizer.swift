#if SherpaOnnx
import CSherpaOnnx
import DictationCore

/// The C library's recognizer for whole stretches, a loaded model that any number of sessions share.
final class OfflineRecognizer: @unchecked Sendable {  // The handle never changes; decoding only reads through it.
    private let handle: OpaquePointer

    init(_ model: any CheckedModel, _ setup: SherpaOnnxOfflineConfiguration) throws(DictationError) {
        guard model.files.count == 3 else { throw Recognizer.refused(model.folder) }
        let strings = model.files + ["cpu", SearchMethod.greedy.rawValue]
        let handle = withCStrings(strings) { strings in
            var config = SherpaOnnxOfflineRecognizerConfig()
            config.feat_config.sample_rate = 16_000
            config.feat_config.feature_dim = 80
            config.model_config.moonshine.encoder = strings[0]
            config.model_config.moonshine.merged_decoder = strings[1]
            config.model_config.tokens = strings[2]
            config.model_config.provider = strings[3]
            config.model_config.num_threads = Int32(setup.threadsPerStep)
            config.decoding_method = strings[4]
            return SherpaOnnxCreateOfflineRecognizer(&config)
        }
        guard let handle else { throw Recognizer.refused(model.folder) }
        self.handle = handle
    }

    deinit { SherpaOnnxDestroyOfflineRecognizer(handle) }

    /// Returns the text of some samples, which may last half a minute at most.
    func text(of samples: [Float]) throws(DictationError) -> String {
        guard let stream = SherpaOnnxCreateOfflineStream(handle) else {
            throw DictationError(.engineFailed, "sherpa-onnx could not make a stream.")
        }
        defer { SherpaOnnxDestroyOfflineStream(stream) }
        samples.withUnsafeBufferPointer {
            SherpaOnnxAcceptWaveformOffline(stream, 16_000, $0.baseAddress, Int32(clamping: $0.count))
        }
        SherpaOnnxDecodeOfflineStream(handle, stream)
        guard let result = SherpaOnnxGetOfflineStreamResult(stream) else { return "" }
        defer { SherpaOnnxDestroyOfflineRecognizerResult(result) }
        let text = result.pointee.text.map { String(cString: $0) } ?? ""
        return text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
#endif

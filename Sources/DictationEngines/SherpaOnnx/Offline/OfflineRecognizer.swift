import CSherpaOnnx
import DictationCore

/// The C library's recognizer for whole stretches, a loaded model that any number of sessions share.
final class OfflineRecognizer: @unchecked Sendable {  // The handle never changes; decoding only reads through it.
    private let library: SherpaOnnxLibrary
    private let handle: OpaquePointer

    init(_ model: any CheckedModel, _ setup: SherpaOnnxOfflineConfiguration) throws(DictationError) {
        guard model.files.count == 3 else { throw Recognizer.refused(model.folder) }
        let library = try SherpaOnnxLibrary.load()
        let strings = model.files + ["cpu", SearchMethod.greedy.rawValue]
        let handle = withCStrings(strings) { strings in
            var config = SherpaOfflineConfig()
            config.features = .speech
            config.model.moonshineEncoder = strings[0]
            config.model.moonshineDecoder = strings[1]
            config.model.tokens = strings[2]
            config.model.processor = strings[3]
            config.model.threads = Int32(setup.threadsPerStep)
            config.search = strings[4]
            return library.functions.createOfflineRecognizer(&config)
        }
        guard let handle else { throw Recognizer.refused(model.folder) }
        self.library = library
        self.handle = handle
    }

    deinit { library.functions.destroyOfflineRecognizer(handle) }

    /// Returns the text of some samples, which may last half a minute at most.
    func text(of samples: [Float]) throws(DictationError) -> String {
        guard let stream = library.functions.createOfflineStream(handle) else {
            throw DictationError(.engineFailed, "sherpa-onnx could not make a stream.")
        }
        defer { library.functions.destroyOfflineStream(stream) }
        samples.withUnsafeBufferPointer {
            library.functions.acceptOffline(stream, 16_000, $0.baseAddress, Int32(clamping: $0.count))
        }
        library.functions.decodeOffline(handle, stream)
        guard let result = library.functions.offlineResult(stream) else { return "" }
        defer { library.functions.destroyOfflineResult(result) }
        let text = result.pointee.text.map { String(cString: $0) } ?? ""
        return text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}

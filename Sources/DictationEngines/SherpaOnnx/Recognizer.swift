#if SherpaOnnx
import CSherpaOnnx
import DictationCore
import DictationFiles

/// The recognizer's search methods.
enum SearchMethod: String, Sendable, CaseIterable {
    case greedy = "greedy_search"
    case beam = "modified_beam_search"
}

/// The C library's recognizer, a loaded model that any number of streams share.
final class Recognizer: @unchecked Sendable {  // The handle never changes, and the C library only reads through it.
    private let handle: OpaquePointer
    let method: SearchMethod

    init(
        _ model: any CheckedModel, pieces: PieceEncoder? = nil, _ method: SearchMethod,
        _ setup: SherpaOnnxConfiguration
    ) throws(DictationError) {
        guard model.files.count == 4 else { throw Self.refused(model.folder) }
        let vocabulary = try TemporaryFile(pieces?.vocabulary ?? "")
        let strings: [String?] =
            model.files + ["cpu", method.rawValue, pieces.map { _ in vocabulary.path }, pieces.map { _ in "bpe" }]
        let handle = withCStrings(strings) { strings in
            var config = SherpaOnnxOnlineRecognizerConfig()
            config.feat_config.sample_rate = 16_000
            config.feat_config.feature_dim = 80
            config.model_config = Self.modelConfig(strings, setup)
            config.decoding_method = strings[5]
            config.max_active_paths = Int32(setup.beamWidth)
            config.hotwords_score = setup.contextualStrength
            config.model_config.bpe_vocab = strings[6]
            config.model_config.modeling_unit = strings[7]
            if let rules = setup.endpointing {
                config.enable_endpoint = 1
                config.rule1_min_trailing_silence = Float(rules.silenceWithoutText / .seconds(1))
                config.rule2_min_trailing_silence = Float(rules.silenceAfterText / .seconds(1))
                config.rule3_min_utterance_length = rules.maximumLength.map { Float($0 / .seconds(1)) } ?? 1e9
            }
            return SherpaOnnxCreateOnlineRecognizer(&config)
        }
        guard let handle else { throw Self.refused(model.folder) }
        self.handle = handle
        self.method = method
    }

    deinit { SherpaOnnxDestroyOnlineRecognizer(handle) }

    static func modelConfig(
        _ strings: [UnsafePointer<CChar>?], _ setup: SherpaOnnxConfiguration
    ) -> SherpaOnnxOnlineModelConfig {
        var config = SherpaOnnxOnlineModelConfig()
        config.transducer.encoder = strings[0]
        config.transducer.decoder = strings[1]
        config.transducer.joiner = strings[2]
        config.tokens = strings[3]
        config.provider = strings[4]
        config.num_threads = Int32(setup.threadsPerStep)
        return config
    }

    static func refused(_ folder: String) -> DictationError {
        DictationError(
            .modelInvalid, "sherpa-onnx can't load the model in \(folder).",
            recovery: "Install the model again, with all files from one source.")
    }

    func makeStream(hotwords: String?) throws(DictationError) -> OnlineStream {
        let stream =
            if let hotwords {
                hotwords.withCString { SherpaOnnxCreateOnlineStreamWithHotwords(handle, $0) }
            } else {
                SherpaOnnxCreateOnlineStream(handle)
            }
        guard let stream else { throw DictationError(.engineFailed, "sherpa-onnx could not make a stream.") }
        return OnlineStream(handle: stream)
    }

    func isReady(_ stream: OnlineStream) -> Bool {
        SherpaOnnxIsOnlineStreamReady(handle, stream.handle) != 0
    }

    func isEndpoint(_ stream: OnlineStream) -> Bool {
        SherpaOnnxOnlineStreamIsEndpoint(handle, stream.handle) != 0
    }

    func reset(_ stream: OnlineStream) { SherpaOnnxOnlineStreamReset(handle, stream.handle) }

    /// Decodes a chunk of each stream. Two calls at the same time must not share a stream.
    func decode(_ streams: [StreamHandle]) {
        if streams.count == 1 {
            SherpaOnnxDecodeOnlineStream(handle, streams[0].pointer)
        } else {
            var pointers: [OpaquePointer?] = streams.map(\.pointer)
            SherpaOnnxDecodeMultipleOnlineStreams(handle, &pointers, Int32(pointers.count))
        }
    }

    /// Returns the tokens since the stream's start or last reset.
    func tokens(of stream: OnlineStream, withConfidence: Bool) -> [Token] {
        guard let result = SherpaOnnxGetOnlineStreamResult(handle, stream.handle) else { return [] }
        defer { SherpaOnnxDestroyOnlineRecognizerResult(result) }
        let logProbabilities =
            withConfidence ? result.pointee.json.map { numbers(named: "ys_probs", inJSON: $0) } ?? [] : []
        return Token.list(
            result.pointee.tokens_arr, result.pointee.timestamps, count: Int(result.pointee.count), logProbabilities
        )
    }
}

/// A stream of audio through a recognizer. Only the decoder that created it owns it.
final class OnlineStream {
    fileprivate let handle: OpaquePointer

    init(handle: OpaquePointer) { self.handle = handle }
    deinit { SherpaOnnxDestroyOnlineStream(handle) }

    /// The handle, for a decoding step. The step must end before the stream's owner continues.
    var loan: StreamHandle { StreamHandle(pointer: handle) }

    func accept(_ samples: UnsafeBufferPointer<Float>) {
        var rest = samples[...]
        while !rest.isEmpty {
            let part = UnsafeBufferPointer(rebasing: rest.prefix(1 << 20))
            SherpaOnnxOnlineStreamAcceptWaveform(handle, 16_000, part.baseAddress, Int32(part.count))
            rest = rest.dropFirst(part.count)
        }
    }

    func inputFinished() { SherpaOnnxOnlineStreamInputFinished(handle) }
}

/// A stream lent to a decoding step.
struct StreamHandle: @unchecked Sendable {  // The stream's owner waits until the step ends.
    let pointer: OpaquePointer
}
#endif

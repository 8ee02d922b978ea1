/// The part that a network plays in a model.
enum NetworkRole: Hashable, Sendable {
    case encoder, decoder, joiner
    case nemoEncoder, streamingNemoEncoder, nemoDecoder, nemoJoiner
    case nemoCTC, streamingNemoCTC
    case whisperEncoder, whisperDecoder
    case senseVoice
    case moonshineEncoder, moonshineDecoder
    case moonshinePreprocessor, moonshineOldEncoder, moonshineFirstDecoder, moonshineNextDecoder

    /// The part's name for people.
    var name: String {
        switch self {
        case .encoder, .nemoEncoder, .streamingNemoEncoder, .whisperEncoder, .moonshineEncoder, .moonshineOldEncoder:
            "encoder"
        case .decoder, .nemoDecoder, .whisperDecoder, .moonshineDecoder: "decoder"
        case .joiner, .nemoJoiner: "joiner"
        case .nemoCTC, .streamingNemoCTC, .senseVoice: "model"
        case .moonshinePreprocessor: "preprocessor"
        case .moonshineFirstDecoder: "uncached decoder"
        case .moonshineNextDecoder: "cached decoder"
        }
    }
}

extension OnnxFile {
    /// The network's part in a model, judged by its inputs, outputs and metadata; `nil` for any other network.
    var role: NetworkRole? {
        if takes("encoder_out", "decoder_out") { return .joiner }
        if outputs.contains("decoder_out") { return .decoder }
        if outputs.contains("encoder_out") { return .encoder }
        return nemoRole ?? whisperRole ?? moonshineRole ?? (takes("x", "language", "text_norm") ? .senseVoice : nil)
    }

    private var nemoRole: NetworkRole? {
        if takes("encoder_outputs", "decoder_outputs") { return .nemoJoiner }
        if takes("targets", "target_length") { return .nemoDecoder }
        // Another export for streaming has no caches, and gets the audio around each chunk instead.
        guard takes("audio_signal", "length"), metadata["buffered_streaming"] == nil else { return nil }
        let isStreaming = takes("cache_last_channel", "cache_last_time")
        if metadata["pred_hidden"] != nil { return isStreaming ? .streamingNemoEncoder : .nemoEncoder }
        return isStreaming ? .streamingNemoCTC : .nemoCTC
    }

    private var whisperRole: NetworkRole? {
        if takes("mel"), outputs.contains("n_layer_cross_k") { return .whisperEncoder }
        return takes("in_n_layer_self_k_cache", "n_layer_cross_k") ? .whisperDecoder : nil
    }

    private var moonshineRole: NetworkRole? {
        if takes("use_cache_branch", "encoder_hidden_states") { return .moonshineDecoder }
        if takes("input_values"), outputs.contains("last_hidden_state") { return .moonshineEncoder }
        // The older networks have numbered inputs, and each part has another number of them.
        guard inputs.indices.allSatisfy({ inputs.contains("args_\($0)") }) else { return nil }
        switch inputs.count {
        case 1: return .moonshinePreprocessor
        case 2: return .moonshineOldEncoder
        case 3: return .moonshineFirstDecoder
        case 4...: return .moonshineNextDecoder
        default: return nil
        }
    }

    private func takes(_ names: String...) -> Bool { names.allSatisfy(inputs.contains) }
}

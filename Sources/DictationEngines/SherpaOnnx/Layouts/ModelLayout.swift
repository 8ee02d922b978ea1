/// A layout of models: the networks of a model, and the way they work together.
enum ModelLayout: String, Codable, Sendable, CaseIterable {
    /// A streaming transducer of icefall, such as a zipformer.
    case transducer
    /// A streaming transducer of NeMo.
    case streamingNemoTransducer
    /// A streaming CTC model of NeMo.
    case streamingNemoCTC
    /// An offline transducer of NeMo, such as Parakeet.
    case nemoTransducer
    /// An offline CTC model of NeMo.
    case nemoCTC
    /// Whisper.
    case whisper
    /// SenseVoice.
    case senseVoice
    /// Moonshine with one decoder.
    case moonshine
    /// The older Moonshine with a preprocessor and two decoders.
    case moonshineInFourParts

    /// The networks of a model, in the order in which a helper gets their files.
    var roles: [NetworkRole] {
        switch self {
        case .transducer: [.encoder, .decoder, .joiner]
        case .streamingNemoTransducer: [.streamingNemoEncoder, .nemoDecoder, .nemoJoiner]
        case .streamingNemoCTC: [.streamingNemoCTC]
        case .nemoTransducer: [.nemoEncoder, .nemoDecoder, .nemoJoiner]
        case .nemoCTC: [.nemoCTC]
        case .whisper: [.whisperEncoder, .whisperDecoder]
        case .senseVoice: [.senseVoice]
        case .moonshine: [.moonshineEncoder, .moonshineDecoder]
        case .moonshineInFourParts:
            [.moonshinePreprocessor, .moonshineOldEncoder, .moonshineFirstDecoder, .moonshineNextDecoder]
        }
    }

    /// The number of files of a model: its networks and its vocabulary.
    var fileCount: Int { roles.count + 1 }

    /// Whether the model decodes audio while it arrives.
    var isStreaming: Bool {
        switch self {
        case .transducer, .streamingNemoTransducer, .streamingNemoCTC: true
        case .nemoTransducer, .nemoCTC, .whisper, .senseVoice, .moonshine, .moonshineInFourParts: false
        }
    }

    /// Whether the C library returns the time of each token.
    var hasTokenTimes: Bool {
        switch self {
        case .whisper, .moonshine, .moonshineInFourParts: false
        default: true
        }
    }

    /// Whether the C library returns the probability of each token of a streaming model.
    var hasTokenProbabilities: Bool { self == .transducer || self == .streamingNemoTransducer }

    /// Whether the C library can search with a beam. It ends the process if it can't but is told to.
    var hasBeamSearch: Bool { self == .transducer }

    /// Returns the layout of which a folder has the greatest share of networks; `nil` if it has none of any.
    static func best(for roles: Set<NetworkRole>) -> ModelLayout? {
        func share(_ layout: ModelLayout) -> Double {
            Double(layout.roles.count(where: roles.contains)) / Double(layout.roles.count)
        }
        return allCases.filter { share($0) > 0 }.max { share($0) < share($1) }
    }
}

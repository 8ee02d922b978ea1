/// How a server with the OpenAI interface deviates from the original.
///
/// The answers need no dialect: the engine reads the answers of all of them. <doc:UsingServers> says where what a dialect
/// knows comes from.
public struct OpenAIDialect: Sendable, Hashable {
    /// The dialect's name.
    public var name: String
    /// The path of the interface, for an address without a path.
    public var basePath = "/v1"
    /// The path of transcriptions after the base path.
    public var path = "/audio/transcriptions"
    /// The path of the list of models after the base path; `nil` if there is none.
    public var modelsPath: String? = "/models"
    /// The model that a request names if none is chosen and the server lists no other; `nil` if the server then takes the
    /// model that it has.
    public var usualModel: String? = "whisper-1"
    /// The format of an answer with times; `nil` if the server knows none.
    public var timedFormat: String? = "verbose_json"
    /// Whether the server tells the times of words.
    public var hasWordTimes = true
    /// Whether the engine asks for text while the server recognizes a piece. A stream has no times of words.
    public var streams = false
    /// Whether the server names languages with their region, as in `en-US`.
    public var namesRegions = false
    /// Whether the audio is sent as FLAC, which has about half of the bytes of WAV. A build without the “SoundFile” trait
    /// sends WAV.
    public var takesFLAC = false
    /// More fields of each request, with their values.
    public var fields: [String: String] = [:]
    /// The greatest number of requests at once; `nil` for any number.
    public var maximumRequests: Int?
    /// The interface that streams audio; `nil` if the server has none, or one that the engine doesn't speak.
    public var realtime: Realtime? = Realtime()

    /// Creates a dialect like the original.
    public init(name: String) { self.name = name }

    /// OpenAI's own servers, with a model of Whisper.
    public static let openAI = OpenAIDialect(name: "openai") { $0.takesFLAC = true }
    /// Speaches, formerly faster-whisper-server.
    public static let speaches = OpenAIDialect(name: "speaches") {
        $0.takesFLAC = true
        $0.realtime?.form = .flat
        $0.realtime?.namesModelInAddress = true
    }
    /// LocalAI. Its realtime interface needs the name of a model with a pipeline.
    public static let localAI = OpenAIDialect(name: "localai") {
        // Otherwise some versions also look for the speakers, and fail without a model for that.
        $0.fields = ["diarize": "false"]
        $0.realtime?.namesModelInAddress = true
        $0.realtime?.isSerial = true
        $0.realtime?.failureCodes = ["transcription_failed", "processing_error", "inference_failed"]
    }
    /// vLLM, which knows the times of segments and not of words.
    public static let vLLM = OpenAIDialect(name: "vllm") {
        $0.usualModel = nil
        $0.hasWordTimes = false
        $0.streams = true
        $0.takesFLAC = true
        $0.realtime = Realtime(form: .plain, sampleRate: 16_000, isSerial: true)
        $0.realtime?.refusalCodes.formUnion(["invalid_event", "model_not_validated"])
    }
    /// The server of whisper.cpp, which does one request at a time.
    public static let whisperServer = OpenAIDialect(name: "whisper-server") {
        $0.basePath = ""
        $0.path = "/inference"
        $0.modelsPath = nil
        $0.usualModel = nil
        // Without these fields, it cuts a long line inside of a word, writes “[BLANK_AUDIO]” for noise, and finds the
        // language again for an answer with times.
        $0.fields = ["split_on_word": "true", "suppress_nst": "true", "no_language_probabilities": "true"]
        $0.maximumRequests = 1
        $0.realtime = nil
    }
    /// NVIDIA's NIM for speech. It takes the model for the language.
    public static let nim = OpenAIDialect(name: "nim") {
        $0.usualModel = nil
        $0.timedFormat = nil
        $0.hasWordTimes = false
        $0.namesRegions = true
        $0.takesFLAC = true
        $0.realtime = nil
    }
    /// All dialects that have a name.
    public static let all: [OpenAIDialect] = [.openAI, .speaches, .localAI, .vLLM, .whisperServer, .nim]

    private init(name: String, _ change: (inout OpenAIDialect) -> Void) {
        self.init(name: name)
        change(&self)
    }
}

extension OpenAIDialect {
    /// How a server streams audio through a websocket.
    public struct Realtime: Sendable, Hashable {
        /// The form of the messages.
        public enum Form: Sendable, Hashable {
            /// As the original: the settings of the audio are in `session.audio.input`.
            case nested
            /// As the original's former version: they are in `session`.
            case flat
            /// As vLLM: the only setting is the model, and the text comes without the names of items.
            case plain
        }

        /// The form of the messages.
        public var form = Form.nested
        /// The number of samples in a second that the server takes.
        public var sampleRate = 24_000
        /// Whether the address names the model, as well as the first message.
        public var namesModelInAddress = false
        /// Whether the server takes the audio of an item only after it has completed the one before.
        public var isSerial = false
        /// The codes of errors that are the server's own failures, although their type is that of wrong requests.
        public var failureCodes: Set<String> = []
        /// The codes of errors that say that trying again is of no use, although their type is another one.
        public var refusalCodes: Set<String> = ["model_not_found"]

        /// Creates the interface of the original.
        public init() {}

        init(form: Form, sampleRate: Int, isSerial: Bool) {
            (self.form, self.sampleRate, self.isSerial) = (form, sampleRate, isSerial)
        }
    }
}

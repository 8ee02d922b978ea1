/// How a server with the OpenAI interface deviates from the original.
///
/// The answers need no dialect: the engine reads the answers of all of them.
public struct OpenAIDialect: Sendable, Hashable {
    /// The dialect's name.
    public var name: String
    /// The path of the interface, for an address without a path.
    public var basePath = "/v1"
    /// The path of transcriptions after the base path.
    public var path = "/audio/transcriptions"
    /// The path of the list of models after the base path; `nil` if there is none.
    public var modelsPath: String? = "/models"
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
    /// The greatest number of requests at once; `nil` for any number.
    public var maximumRequests: Int?

    /// Creates a dialect like the original.
    public init(name: String) { self.name = name }

    /// OpenAI's own servers, with a model of Whisper.
    public static let openAI = OpenAIDialect(name: "openai") { $0.takesFLAC = true }
    /// Speaches, formerly faster-whisper-server.
    public static let speaches = OpenAIDialect(name: "speaches") { $0.takesFLAC = true }
    /// LocalAI.
    public static let localAI = OpenAIDialect(name: "localai")
    /// vLLM, which knows the times of segments and not of words.
    public static let vLLM = OpenAIDialect(name: "vllm") {
        $0.hasWordTimes = false
        $0.streams = true
        $0.takesFLAC = true
    }
    /// The server of whisper.cpp, which does one request at a time.
    public static let whisperServer = OpenAIDialect(name: "whisper-server") {
        $0.basePath = ""
        $0.path = "/inference"
        $0.modelsPath = nil
        $0.hasWordTimes = false
        $0.maximumRequests = 1
    }
    /// NVIDIA's NIM for speech.
    public static let nim = OpenAIDialect(name: "nim") {
        $0.timedFormat = nil
        $0.hasWordTimes = false
        $0.namesRegions = true
        $0.takesFLAC = true
    }
    /// All dialects that have a name.
    public static let all: [OpenAIDialect] = [.openAI, .speaches, .localAI, .vLLM, .whisperServer, .nim]

    private init(name: String, _ change: (inout OpenAIDialect) -> Void) {
        self.init(name: name)
        change(&self)
    }
}

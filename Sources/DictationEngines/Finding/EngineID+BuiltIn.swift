public import DictationCore

extension EngineID {
    /// The name of ``PocketSphinxEngine``.
    public static let pocketSphinx: EngineID = "pocketsphinx"
    /// The name of ``SherpaOnnxEngine``, for streaming models.
    public static let sherpaOnnx: EngineID = "sherpa-onnx"
    /// The name of ``SherpaOnnxOfflineEngine``, for models that decode a whole piece of speech at once.
    public static let sherpaOnnxOffline: EngineID = "sherpa-onnx-offline"
    /// The name of ``TwoPassEngine``.
    public static let twoPass: EngineID = "two-pass"
    /// The name of a `RemoteEngine` from DictationRemote.
    public static let sherpaServer: EngineID = "sherpa-server"
    /// The name of a `RemoteEngine` from DictationRemote.
    public static let voskServer: EngineID = "vosk-server"
    /// The name of a `RemoteEngine` from DictationRemote.
    public static let wyoming: EngineID = "wyoming"
    /// The name of a `RemoteEngine` from DictationRemote.
    public static let openAI: EngineID = "openai"
    /// The name of ``ScriptedEngine``.
    public static let scripted: EngineID = "scripted"
}

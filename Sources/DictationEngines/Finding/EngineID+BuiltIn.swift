public import DictationCore

extension EngineID {
    /// ``PocketSphinxEngine``.
    public static let pocketSphinx: EngineID = "pocketsphinx"
    /// ``SherpaOnnxEngine``, for models that stream.
    public static let sherpaOnnx: EngineID = "sherpa-onnx"
    /// ``SherpaOnnxOfflineEngine``, for models that decode a whole stretch of speech at once.
    public static let sherpaOnnxOffline: EngineID = "sherpa-onnx-offline"
    /// ``ScriptedEngine``.
    public static let scripted: EngineID = "scripted"
}

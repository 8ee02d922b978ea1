import DictationCore

extension EngineLibrary {
    /// The library of ``SherpaOnnxEngine`` and ``SherpaOnnxOfflineEngine``.
    public static let sherpaOnnx = EngineLibrary(name: "sherpa-onnx") { () throws(DictationError) in
        _ = try SherpaOnnxLibrary.load()
    }
}

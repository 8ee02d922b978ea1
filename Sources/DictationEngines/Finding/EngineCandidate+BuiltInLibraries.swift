import DictationCore

extension EngineCandidate.Library {
    /// The library of ``SherpaOnnxEngine`` and ``SherpaOnnxOfflineEngine``.
    ///
    /// An inventory can't install it if a setting names another place: the engines would not look at the installed one.
    public static var sherpaOnnx: EngineCandidate.Library {
        let isElsewhere = LibraryPlaces.standard(chosen: SherpaOnnxLibrary.location).chosen != nil
        var library = EngineCandidate.Library(name: "sherpa-onnx", asset: isElsewhere ? nil : "sherpa-onnx-library") {
            () throws(DictationError) in
            _ = try SherpaOnnxLibrary.load()
        }
        library.checking = { () throws(DictationError) in try SherpaOnnxLibrary.find() }
        return library
    }
}

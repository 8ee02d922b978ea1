#if SherpaOnnx
import DictationCore

/// A folder with a model of either kind.
enum SherpaOnnxFolder {
    /// The engine for the model in a folder.
    static func engine(for folder: String) -> EngineID {
        SherpaOnnxOfflineModel.isThere(in: folder) ? .sherpaOnnxOffline : .sherpaOnnx
    }

    /// Finds and checks the model's files.
    static func model(at folder: String) throws(DictationError) -> any TriedModel {
        if SherpaOnnxOfflineModel.isThere(in: folder) { return try SherpaOnnxOfflineModel(at: folder) }
        return try SherpaOnnxModel(at: folder)
    }
}
#endif

#if SherpaOnnx
import DictationCore

/// A folder with a model, either streaming or offline.
enum SherpaOnnxFolder {
    /// Returns the name of the engine for the model in a folder.
    static func engine(for folder: String) -> EngineID {
        SherpaOnnxOfflineModel.isThere(in: folder) ? .sherpaOnnxOffline : .sherpaOnnx
    }

    /// Returns the model in a folder, and checks its files.
    static func model(at folder: String) throws(DictationError) -> any TriedModel {
        if SherpaOnnxOfflineModel.isThere(in: folder) { return try SherpaOnnxOfflineModel(at: folder) }
        return try SherpaOnnxModel(at: folder)
    }
}
#endif

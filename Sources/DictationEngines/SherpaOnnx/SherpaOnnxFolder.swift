#if SherpaOnnx
import DictationCore

/// A folder with a model of either kind.
enum SherpaOnnxFolder {
    /// The engine for the model in a folder.
    static func engine(for folder: String) -> EngineID {
        SherpaOnnxOfflineModel.isModel(folder: folder) ? .sherpaOnnxOffline : .sherpaOnnx
    }

    /// Finds and checks the model's files.
    static func model(at folder: String) throws(DictationError) -> any CheckedModel {
        if SherpaOnnxOfflineModel.isModel(folder: folder) { return try SherpaOnnxOfflineModel(folder: folder) }
        return try SherpaOnnxModel(folder: folder)
    }
}
#endif

import DictationCore

/// A folder with a model, either streaming or offline.
enum SherpaOnnxFolder {
    /// Returns the name of the engine for the model in a folder.
    static func engine(for folder: String) -> EngineID {
        SherpaOnnxOfflineModel.isModel(folder: folder) ? .sherpaOnnxOffline : .sherpaOnnx
    }

    /// Returns the model in a folder, and checks its files.
    static func model(at folder: String) throws(DictationError) -> any CheckedModel {
        if SherpaOnnxOfflineModel.isModel(folder: folder) { return try SherpaOnnxOfflineModel(folder: folder) }
        return try SherpaOnnxModel(folder: folder)
    }
}

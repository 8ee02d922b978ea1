import DictationCore

/// A folder with a model, either streaming or offline.
enum SherpaOnnxFolder {
    /// Returns the name of the engine for the model in a folder.
    static func engine(for folder: String) -> EngineID {
        SherpaOnnxOfflineEngine.Model.isModel(folder: folder) ? .sherpaOnnxOffline : .sherpaOnnx
    }

    /// Returns the model in a folder, and checks its files.
    static func model(at folder: String) throws(DictationError) -> any CheckedModel {
        if SherpaOnnxOfflineEngine.Model.isModel(folder: folder) {
            return try SherpaOnnxOfflineEngine.Model(folder: folder)
        }
        return try SherpaOnnxEngine.Model(folder: folder)
    }
}

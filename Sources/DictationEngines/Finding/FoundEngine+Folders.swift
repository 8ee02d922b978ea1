import DictationCore
public import DictationModels
import DictationSystem

extension FoundEngine {
    /// Returns the folders of the models that the engine uses; empty for an engine without models.
    ///
    /// - Parameter store: The store in which the engine was found.
    public func modelFolders(in store: ModelStore = .standard) -> [String] {
        let engines: [EngineID] = [.sherpaOnnxOffline, .sherpaOnnx, .pocketSphinx]
        var folders = engines.flatMap { store.models(engine: $0) }.map(\.folder)
        #if PocketSphinx
        folders += PocketSphinxModel.installed().map(\.folder)
        #endif
        return models.compactMap { name in folders.first { PathBytes($0).lastName == name } }
    }
}

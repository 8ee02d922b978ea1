import DictationCore
import DictationEngines
import DictationRemote

/// Which engine somebody wants. The command line and the profiles of the service say it in words of their own.
struct EngineChoice {
    /// The engine; `nil` for the best one.
    var name: EngineName?
    /// The folder of the model, or the script of the scripted engine; `nil` for an installed model.
    var model: String?
    /// The server of an engine elsewhere.
    var remote: RemoteEngine.Configuration?
    /// The process for the engine; `nil` for this one.
    var helper: HelperEngine.Configuration?
    /// How long the model stays in memory; `nil` for the engine's usual time.
    var retention: ModelRetention?

    /// Returns what finds the engine.
    func finder(for options: RecognitionOptions) throws(DictationError) -> EngineFinder {
        var finder: EngineFinder
        if let remote {
            finder = EngineFinder(options: options, candidates: [remote.candidate])
            // Some servers only tell text when it is final.
            if try !RemoteEngine(remote).capabilities.features.contains(.volatileResults) {
                finder.options.volatileResults = false
            }
        } else if name == .scripted {
            finder = EngineFinder(options: options, candidates: [.scripted(model, locale: options.locale)])
        } else {
            finder = EngineFinder(options: options, retention: retention)
            finder.modelFolder = model
            finder.helper = helper
            if let retention { finder.helper?.retention = retention }
        }
        finder.requiredEngine = name?.id
        return finder
    }
}

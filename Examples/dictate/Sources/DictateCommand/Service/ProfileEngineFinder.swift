import DictationCore
import DictationEngines
import DictationService

/// Finds the engines of profiles.
struct ProfileEngineFinder: Sendable {
    private let console: Console
    private let hasTypedContext: Bool
    private let hosting: HostedEngine.Configuration?

    init(_ invocation: Invocation, _ console: Console) {
        self.console = console
        hosting = .forCommand(invocation)
        hasTypedContext = (try? invocation.values(Options.context))?.isEmpty == false
    }

    /// Returns an engine, and tells of better ones that don't work.
    func engine(for request: EngineRequest) async throws(DictationError) -> ProfileEngine {
        var finder: EngineFinder
        if request.name == EngineName.scripted.rawValue {
            finder = EngineFinder(
                options: request.options, candidates: [.scripted(request.model, locale: request.options.locale)])
        } else {
            finder = EngineFinder(options: request.options, retention: request.retention)
            finder.modelFolder = request.model
            finder.hosting = hosting
            finder.hosting?.retention = request.retention
        }
        if let name = request.name {
            guard let engine = EngineName(rawValue: name) else {
                let names = EngineName.allCases.map(\.rawValue).joined(separator: ", ")
                throw DictationError(
                    .invalidInput, "There is no engine “\(name)”.", recovery: "Choose from: \(names).")
            }
            finder.requiredEngine = engine.id
        }
        switch await finder.search() {
        case .missing(let missing):
            throw hasTypedContext ? missing.advisedError.namingTypedOption() : missing.advisedError
        case .found(let found):
            found.problems.forEach(console.complain)
            return ProfileEngine(found.engine, model: found.model)
        }
    }

    /// Returns an engine for wake words.
    func engine(for options: RecognitionOptions) async throws(DictationError) -> any SpeechEngine {
        var finder = EngineFinder(options: options, retention: .whileInUse)
        finder.hosting = hosting
        finder.hosting?.retention = .whileInUse
        return try await finder.engine()
    }

    /// Returns the error of an engine with the command that repairs an installed model.
    func advised(_ error: DictationError, _ profile: ProfileSettings) -> DictationError {
        guard error.code == .modelInvalid, profile.model == nil else { return error }
        var error = error
        error.recovery =
            "Repair it with \(setupCommand(profile.language, profile.engine.map { EngineID(rawValue: $0) }))."
        return error
    }
}

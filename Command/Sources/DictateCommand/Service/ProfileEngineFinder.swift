import DictationCore
@_spi(Command) import DictationDesktop
import DictationEngines
import DictationRemote
import DictationService

/// Finds the engines of profiles.
struct ProfileEngineFinder: Sendable {
    private let console: Console
    private let hasTypedContext: Bool
    private let helper: HelperEngine.Configuration?

    init(_ invocation: Invocation, _ console: Console) {
        self.console = console
        helper = .forCommand(invocation)
        hasTypedContext = (try? invocation.values(Options.context))?.isEmpty == false
    }

    /// Returns an engine, and tells of better ones that don't work.
    func engine(for request: ProfileMaker.Request) async throws(DictationError) -> ProfileMaker.Engine {
        var remote = try RemoteEngine.Configuration(request)
        if remote != nil { request.server.token?.warning.map { console.complain($0) } }
        if let notice = await remote?.findDialect() {
            console.complain(notice + " Choose one with the setting “server.model”.")
        }
        let name = request.name.flatMap(EngineName.init(rawValue:))
        if let unknown = request.name, name == nil {
            let names = EngineName.allCases.map(\.rawValue).joined(separator: ", ")
            throw DictationError(
                .invalidInput, "There is no engine “\(unknown)”.", recovery: "Choose from: \(names).")
        }
        let choice = EngineChoice(
            name: name, model: request.model, remote: remote, helper: helper, retention: request.retention)
        switch try await choice.finder(for: request.options).search() {
        case .missing(let missing):
            throw hasTypedContext ? missing.advisedError.namingTypedOption() : missing.advisedError
        case .found(let found):
            found.problems.forEach(console.complain)
            // The name of a remote candidate is its address.
            return ProfileMaker.Engine(found.engine, model: remote == nil ? found.model : remote?.model)
        }
    }

    /// Returns an engine for wake words.
    func engine(for options: RecognitionOptions) async throws(DictationError) -> any SpeechEngine {
        var finder = EngineFinder(options: options, retention: .whileInUse)
        finder.helper = helper
        finder.helper?.retention = .whileInUse
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

extension RemoteEngine.Configuration {
    /// Reads the engine on a server from a profile; `nil` for an engine on this machine.
    fileprivate init?(_ request: ProfileMaker.Request) throws(DictationError) {
        let settings = request.server
        guard let kind = request.name.flatMap(RemoteEngine.Kind.init(rawValue:)) else {
            // A profile with an engine of this machine takes the server over from the usual settings, and needs none.
            guard request.name != nil || settings.addresses.isEmpty else {
                let kinds = RemoteEngine.Kind.allCases.map(\.rawValue).joined(separator: ", ")
                throw DictationError(
                    .invalidInput, "The setting “server.addresses” needs the setting “engine”.",
                    recovery: "Set “engine” to one of \(kinds).")
            }
            return nil
        }
        guard !settings.addresses.isEmpty else {
            throw DictationError(
                .invalidInput, "The engine “\(kind.rawValue)” needs the setting “server.addresses”.",
                recovery: "Set it to the addresses of the server.")
        }
        self.init(kind, server: RemoteServer(addresses: settings.addresses), locales: [request.options.locale])
        server.authorities = settings.authorities
        server.token = try settings.token.map { source throws(DictationError) in try SecretText(from: source) }
        model = settings.model
        isRealtime = settings.isRealtime
        dialect = nil
        guard let name = settings.dialect else { return }
        guard let dialect = OpenAIDialect.all.first(where: { $0.name == name }) else {
            throw DictationError(
                .invalidInput, "There is no dialect “\(name)”.",
                recovery: "Choose from: \(OpenAIDialect.all.map(\.name).joined(separator: ", ")).")
        }
        self.dialect = dialect
    }
}

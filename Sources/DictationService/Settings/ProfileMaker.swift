public import DictationCore
import DictationSystem
import DictationText
import Synchronization

/// Makes the profiles of a service from the user's settings.
///
///     let settings = ServiceSettings()
///     let maker = ProfileMaker { request in
///         ProfileEngine(ScriptedEngine(locales: [request.options.locale]))
///     }
///     let profiles = try await maker.profiles(for: settings)
///
/// Profiles that need the same of an engine share one, also with profiles that were made before. So reading the settings
/// again loads no model again.
public final class ProfileMaker: Sendable {
    private let engine: @Sendable (EngineRequest) async throws(DictationError) -> ProfileEngine
    private let spool: @Sendable (_ profile: String?) -> (any AudioSpool)?
    private let found = Mutex<[EngineRequest: ProfileEngine]>([:])

    /// Creates a maker.
    ///
    /// - Parameters:
    ///   - spool: Returns the spool of a profile, whose name is a file's name as well; `nil` is the usual profile.
    ///   - engine: Finds an engine.
    public init(
        spool: @escaping @Sendable (_ profile: String?) -> (any AudioSpool)? = { _ in nil },
        engine: @escaping @Sendable (EngineRequest) async throws(DictationError) -> ProfileEngine
    ) {
        self.spool = spool
        self.engine = engine
    }

    /// Makes profiles. A profile that can't be made has its error, and the others are made all the same.
    ///
    /// - Parameters:
    ///   - settings: The settings.
    ///   - folder: The folder to which the paths in the settings are relative.
    /// - Throws: The error of the usual profile.
    public func profiles(
        for settings: ServiceSettings, folder: String = "."
    ) async throws(DictationError) -> DictationProfiles {
        var used: [EngineRequest: ProfileEngine] = [:]
        var profiles = DictationProfiles(usual: try await profile(settings.usual, nil, settings, folder, &used))
        for (name, profile) in settings.profiles {
            do throws(DictationError) {
                profiles.named[name] = .success(try await self.profile(profile, name, settings, folder, &used))
            } catch {
                profiles.named[name] = .failure(error)
            }
        }
        found.withLock { $0 = used }
        return profiles
    }

    private func profile(
        _ profile: ProfileSettings, _ name: String?, _ settings: ServiceSettings, _ folder: String,
        _ used: inout [EngineRequest: ProfileEngine]
    ) async throws(DictationError) -> DictationProfile {
        let vocabulary = try profile.vocabulary.map { path throws(DictationError) in
            try Self.vocabulary(PathBytes(path).isAbsolute ? path : folder + "/" + path)
        }
        let request = EngineRequest(profile, settings, folder: folder)
        let known = used[request] ?? found.withLock { $0[request] }
        let engine = if let known { known } else { try await self.engine(request) }
        used[request] = engine
        let features = engine.engine.capabilities.features
        var configuration = DictationConfiguration(recognition: request.options)
        configuration.recognition.volatileResults = features.contains(.volatileResults)
        if profile.text.needsWordTimes, features.contains(.wordTimes) {
            configuration.recognition.wordTimes = true
        }
        if features.contains(.contextualStrings) {
            configuration.recognition.contextualStrings += vocabulary?.contextualStrings ?? []
        }
        configuration.capture.device = profile.device
        configuration.stopAfterSilence = profile.stopAfterSilence
        configuration.maximumLength = profile.maximumLength
        configuration.stopMode = settings.keepsMicrophoneOpen == nil ? .full : .warm
        return DictationProfile(
            engine: engine.engine, model: engine.model, configuration: configuration,
            processors: try profile.text.processors(for: profile.language, vocabulary: vocabulary),
            spool: settings.keepsAudio ? spool(name) : nil,
            destination: profile.destination, destinations: try profile.destinations(folder: folder))
    }

    private static func vocabulary(_ path: String) throws(DictationError) -> Vocabulary {
        guard let bytes = try OpenFile.reading(path)?.readAll(), let text = String(validating: bytes, as: UTF8.self)
        else {
            throw DictationError(
                .invalidInput, "The vocabulary “\(path)” can't be read.",
                recovery: "Check the path. A vocabulary is a text file in UTF-8.")
        }
        return try Vocabulary(parsing: text)
    }
}

/// What a profile needs of an engine.
public struct EngineRequest: Sendable, Hashable {
    /// The name of the engine; `nil` is the best one.
    public var name: String?
    /// The folder of the model; `nil` is an installed one.
    public var model: String?
    /// The server of an engine elsewhere. Its paths are full ones.
    public var server: ProfileServer
    /// The options that the engine has to support.
    public var options: RecognitionOptions
    /// How long the model stays in memory.
    public var retention: ModelRetention

    init(_ profile: ProfileSettings, _ settings: ServiceSettings, folder: String) {
        name = profile.engine
        model = profile.model
        server = profile.server.relative(to: folder)
        options = .liveDictation(profile.language)
        options.priority = profile.priority
        options.contextualStrings = profile.context.map { ContextualString($0) }
        retention = settings.unloadsModelAfter.map { .lingering($0) } ?? .processLifetime
    }
}

/// An engine for a profile.
public struct ProfileEngine: Sendable {
    /// The engine.
    public var engine: any SpeechEngine
    /// The name of its model, for the status.
    public var model: String?

    /// Creates a description of an engine.
    public init(_ engine: any SpeechEngine, model: String? = nil) {
        self.engine = engine
        self.model = model
    }
}

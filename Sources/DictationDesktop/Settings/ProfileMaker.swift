public import DictationCore
public import DictationService
import DictationSystem
import DictationText
import Synchronization

/// Makes the profiles of a service from the user's settings.
///
/// Profiles that need the same of an engine share one, also with profiles that were made before. So reading the settings
/// again loads no model again.
@_spi(Command) public final class ProfileMaker: Sendable {
    private let engine: @Sendable (ProfileMaker.Request) async throws(DictationError) -> ProfileMaker.Engine
    private let spool: @Sendable (_ profile: String?) -> (any AudioSpool)?
    private let found = Mutex<[ProfileMaker.Request: ProfileMaker.Engine]>([:])

    /// Creates a maker.
    ///
    /// - Parameters:
    ///   - spool: Returns the spool of a profile, whose name is a file's name as well; `nil` is the usual profile.
    ///   - engine: Finds an engine.
    public init(
        spool: @escaping @Sendable (_ profile: String?) -> (any AudioSpool)? = { _ in nil },
        engine: @escaping @Sendable (ProfileMaker.Request) async throws(DictationError) -> ProfileMaker.Engine
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
        var used: [ProfileMaker.Request: ProfileMaker.Engine] = [:]
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
        _ used: inout [ProfileMaker.Request: ProfileMaker.Engine]
    ) async throws(DictationError) -> DictationProfile {
        let vocabulary = try profile.vocabulary.map { path throws(DictationError) in
            try Self.vocabulary(PathBytes(path).isAbsolute ? path : folder + "/" + path)
        }
        let request = ProfileMaker.Request(profile, settings, folder: folder)
        let known = used[request] ?? found.withLock { $0[request] }
        let engine = if let known { known } else { try await self.engine(request) }
        used[request] = engine
        let features = engine.engine.capabilities.features
        var configuration = DictationSession.Configuration(recognition: request.options)
        configuration.recognition.volatileResults = features.contains(.volatileResults)
        if profile.text.needsWordTimes, features.contains(.wordTimes) {
            configuration.recognition.wordTimes = true
        }
        if features.contains(.contextualStrings) {
            configuration.recognition.contextualStrings += vocabulary?.contextualStrings ?? []
        }
        configuration.capture.device = profile.device
        configuration.endingSilence = profile.endingSilence
        configuration.maximumLength = profile.maximumLength
        configuration.stopMode = settings.microphoneIdleTime == nil ? .full : .warm
        return DictationProfile(
            engine: engine.engine, model: engine.model, configuration: configuration,
            processors: try profile.text.processors(for: profile.language, vocabulary: vocabulary),
            spool: settings.keepsAudio ? spool(name) : nil,
            destination: profile.destination, destinations: try profile.destinations(folder: folder))
    }

    private static func vocabulary(_ path: String) throws(DictationError) -> WrittenVocabulary {
        guard let bytes = try OpenFile.reading(path)?.readAll(), let text = String(validating: bytes, as: UTF8.self)
        else {
            throw DictationError(
                .invalidInput, "The vocabulary “\(path)” can't be read.",
                recovery: "Check the path. A vocabulary is a text file in UTF-8.")
        }
        return try WrittenVocabulary(parsing: text)
    }
}

@_spi(Command) extension ProfileMaker {
    /// What a profile needs of an engine.
    public struct Request: Sendable, Hashable {
        /// The name of the engine; `nil` is the best one.
        public var name: String?
        /// The folder of the model; `nil` is an installed one.
        public var model: String?
        /// The server of an engine elsewhere. Its paths are full ones.
        public var server: ProfileSettings.Server
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
            options.contextualStrings = profile.context.map { RecognitionOptions.ContextualString($0) }
            retention = settings.modelIdleTime.map { .lingering($0) } ?? .processLifetime
        }
    }
}

@_spi(Command) extension ProfileMaker {
    /// An engine for a profile.
    public struct Engine: Sendable {
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
}

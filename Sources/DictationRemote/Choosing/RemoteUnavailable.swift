#if !Remote
public import DictationCore

// The initializers have the arguments of the real ones, and the engines have the protocol's requirements, so that every use
// of a type is an error that names the trait.

/// What the engines of this module have of an engine in a build that leaves them out.
public protocol UnavailableEngine: SpeechEngine {}

extension UnavailableEngine {
    /// Unavailable in this build.
    public var name: String { "" }
    /// Unavailable in this build.
    public var capabilities: EngineCapabilities { EngineCapabilities() }
    /// Unavailable in this build.
    public var supportedLocales: [SpeechLocale] { get async { [] } }
    /// Unavailable in this build.
    public func audioFormat(for options: RecognitionOptions) async throws(DictationError) -> AudioFormat { .speech }
    /// Unavailable in this build.
    public func makeSession(_ options: RecognitionOptions) async throws(DictationError) -> any RecognitionSession {
        throw DictationError(.notBuilt, "Enable the “Remote” trait.")
    }
}

/// Recognition by a server with the OpenAI interface. This build leaves it out.
@available(*, unavailable, message: "Enable the “Remote” trait of swift-dictation.")
public final class OpenAIEngine: UnavailableEngine {
    /// The interface that the engine uses.
    public enum Interface: String, Sendable, Hashable, CaseIterable {
        /// A request for each stretch of speech.
        case requests
        /// A websocket that gets the audio as it comes.
        case realtime
    }

    /// The configuration of an engine.
    public struct Configuration: Sendable, Hashable {
        /// The name of the server's model.
        public var model: String?
        /// How the server deviates from the original.
        public var dialect: OpenAIDialect?
        /// The interface.
        public var interface = Interface.requests

        /// Unavailable in this build.
        public init() {}
    }

    /// Unavailable in this build.
    public init(
        _ server: RemoteServer, locales: [SpeechLocale], configure: (inout Configuration) -> Void = { _ in }
    ) throws(DictationError) {}
}

/// Recognition by a Wyoming server. This build leaves it out.
@available(*, unavailable, message: "Enable the “Remote” trait of swift-dictation.")
public final class WyomingEngine: UnavailableEngine {
    /// The configuration of an engine.
    public struct Configuration: Sendable, Hashable {
        /// Unavailable in this build.
        public init() {}
    }

    /// Unavailable in this build.
    public init(
        _ server: RemoteServer, locales: [SpeechLocale], configuration: Configuration = .init()
    ) throws(DictationError) {}
}

/// Recognition by sherpa-onnx's server. This build leaves it out.
@available(*, unavailable, message: "Enable the “Remote” trait of swift-dictation.")
public final class SherpaServerEngine: UnavailableEngine {
    /// The configuration of an engine.
    public struct Configuration: Sendable, Hashable {
        /// Unavailable in this build.
        public init() {}
    }

    /// Unavailable in this build.
    public init(
        _ server: RemoteServer, locales: [SpeechLocale], configuration: Configuration = .init()
    ) throws(DictationError) {}
}

/// Recognition by Vosk's server. This build leaves it out.
@available(*, unavailable, message: "Enable the “Remote” trait of swift-dictation.")
public final class VoskServerEngine: UnavailableEngine {
    /// Unavailable in this build.
    public init(_ server: RemoteServer, locales: [SpeechLocale]) throws(DictationError) {}
}

/// The choice of an engine on a server. This build leaves it out.
@available(*, unavailable, message: "Enable the “Remote” trait of swift-dictation.")
public struct RemoteEngine: Sendable {
    /// The kinds of servers.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A server with the OpenAI interface.
        case openAI = "openai"
        /// A Wyoming server.
        case wyoming
        /// sherpa-onnx's streaming server.
        case sherpaServer = "sherpa-server"
        /// The Vosk server.
        case voskServer = "vosk-server"
    }

    /// Unavailable in this build.
    public init(_ kind: Kind, server: RemoteServer, locales: [SpeechLocale]) {}
}

/// What a server showed when it was tried. This build leaves it out.
@available(*, unavailable, message: "Enable the “Remote” trait of swift-dictation.")
public struct RemoteProbe: Sendable {}
#endif

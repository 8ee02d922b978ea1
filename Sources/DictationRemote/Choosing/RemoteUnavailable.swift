#if !Remote
/// Recognition by a server with the OpenAI interface, which this build leaves out.
@available(*, unavailable, message: "Enable the “Remote” trait of swift-dictation.")
public struct OpenAIEngine: Sendable {}

/// Recognition by a Wyoming server, which this build leaves out.
@available(*, unavailable, message: "Enable the “Remote” trait of swift-dictation.")
public struct WyomingEngine: Sendable {}

/// Recognition by sherpa-onnx's server, which this build leaves out.
@available(*, unavailable, message: "Enable the “Remote” trait of swift-dictation.")
public struct SherpaServerEngine: Sendable {}

/// Recognition by Vosk's server, which this build leaves out.
@available(*, unavailable, message: "Enable the “Remote” trait of swift-dictation.")
public struct VoskServerEngine: Sendable {}

/// The choice of an engine on a server, which this build leaves out.
@available(*, unavailable, message: "Enable the “Remote” trait of swift-dictation.")
public struct RemoteEngine: Sendable {}

/// What a server showed when it was tried, which this build leaves out.
@available(*, unavailable, message: "Enable the “Remote” trait of swift-dictation.")
public struct RemoteProbe: Sendable {}
#endif

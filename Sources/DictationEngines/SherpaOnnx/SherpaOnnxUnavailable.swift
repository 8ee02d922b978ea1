#if !SherpaOnnx
public import DictationCore
public import DictationModels

// What a build without the trait has in place of sherpa-onnx's engines: the names, so that the compiler can say what to do.

/// Speech recognition with sherpa-onnx's streaming transducers.
@available(*, unavailable, message: "Enable the 'SherpaOnnx' trait")
public final class SherpaOnnxEngine: SpeechEngine {
    /// Makes an engine, in a build with the trait.
    public init(
        model: SherpaOnnxModel, locales: [SpeechLocale]? = nil, configuration: SherpaOnnxConfiguration = .init()
    ) throws(DictationError) {}
    /// Makes an engine, in a build with the trait.
    public init(
        folder: String, locales: [SpeechLocale]? = nil, configuration: SherpaOnnxConfiguration = .init()
    ) throws(DictationError) {}
    /// Makes an engine, in a build with the trait.
    public init(
        locale: SpeechLocale, in store: ModelStore = .standard, configuration: SherpaOnnxConfiguration = .init()
    ) throws(DictationError) {}

    // The protocol's requirements are here, so that every use of the type is an error that names the trait.
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
        throw DictationError(.notBuilt, "Enable the 'SherpaOnnx' trait.")
    }
}

/// Speech recognition with sherpa-onnx's models that transcribe whole stretches.
@available(*, unavailable, message: "Enable the 'SherpaOnnx' trait")
public final class SherpaOnnxOfflineEngine: SpeechEngine {
    /// Makes an engine, in a build with the trait.
    public init(
        model: SherpaOnnxOfflineModel, locales: [SpeechLocale]? = nil,
        configuration: SherpaOnnxOfflineConfiguration = .init()
    ) throws(DictationError) {}
    /// Makes an engine, in a build with the trait.
    public init(
        folder: String, locales: [SpeechLocale]? = nil, configuration: SherpaOnnxOfflineConfiguration = .init()
    ) throws(DictationError) {}
    /// Makes an engine, in a build with the trait.
    public init(
        locale: SpeechLocale, in store: ModelStore = .standard, configuration: SherpaOnnxOfflineConfiguration = .init()
    ) throws(DictationError) {}

    // The protocol's requirements are here, so that every use of the type is an error that names the trait.
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
        throw DictationError(.notBuilt, "Enable the 'SherpaOnnx' trait.")
    }
}

/// A streaming model of sherpa-onnx.
@available(*, unavailable, message: "Enable the 'SherpaOnnx' trait")
public struct SherpaOnnxModel: Sendable {
    /// Which of a model's files to use.
    public enum Precision: Sendable {
        /// Whichever the folder has.
        case automatic
    }

    /// Finds a model's files, in a build with the trait.
    public init(folder: String, precision: Precision = .automatic) throws(DictationError) {}
}

/// A model of sherpa-onnx that transcribes whole stretches.
@available(*, unavailable, message: "Enable the 'SherpaOnnx' trait")
public struct SherpaOnnxOfflineModel: Sendable {
    /// Finds a model's files, in a build with the trait.
    public init(folder: String) throws(DictationError) {}
}

/// How sherpa-onnx's engines work.
@available(*, unavailable, message: "Enable the 'SherpaOnnx' trait")
public struct SherpaOnnxConfiguration: Sendable {
    /// Makes the standard configuration, in a build with the trait.
    public init() {}
}

/// How sherpa-onnx's offline engine works.
@available(*, unavailable, message: "Enable the 'SherpaOnnx' trait")
public struct SherpaOnnxOfflineConfiguration: Sendable {
    /// Makes the standard configuration, in a build with the trait.
    public init() {}
}

/// The models in a folder.
@available(*, unavailable, message: "Enable the 'SherpaOnnx' trait")
public final class SherpaOnnxInventory: Sendable {
    /// Makes an inventory, in a build with the trait.
    public init(folder: String) {}
}
#endif

#if Remote
import DictationCore

extension SpeechEngine {
    /// Checks that the engine can do what the options ask for.
    func check(_ options: RecognitionOptions) async throws(DictationError) {
        try capabilities.validate(options, engine: name)
        try await validate(options.locale)
    }
}

/// The sessions of an engine that streams audio to a server.
struct RemoteSessions: Sendable {
    let name: String
    let capabilities: EngineCapabilities
    let locales: [SpeechLocale]
    let format: AudioFormat
    let links: RemoteLinks
    private let runtime = DictationRuntime.current
    private let connecting = DictationRuntime.current.blockingExecutor("remote-connect")

    init(
        name: EngineID, _ capabilities: EngineCapabilities, locales: [SpeechLocale], format: AudioFormat,
        _ links: RemoteLinks
    ) throws(DictationError) {
        self.name = name.rawValue
        self.capabilities = capabilities
        self.locales = locales
        self.format = try format.validated()
        self.links = links
    }

    func prepare(_ options: RecognitionOptions) async throws(DictationError) {
        let links = links
        try await BlockingWork(on: connecting).run { () throws(DictationError) in
            do throws(RemoteFailure) { try links.prepare(for: options) } catch {
                throw links.server.cleaned(error.error)
            }
        }
    }

    func makeSession(_ options: RecognitionOptions) async throws(DictationError) -> any RecognitionSession {
        let (links, format) = (links, format)
        return try await DecoderSession.open(name, audioFormat: format, options: options, runtime: runtime) {
            () async throws(DictationError) in
            RemoteDecoder(stream: try await RemoteStream.open(links, options, format: format))
        }
    }
}
#endif

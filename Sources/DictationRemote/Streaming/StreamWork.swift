#if Remote
import DictationCore

/// The work of a server that gets the audio as it comes.
struct StreamWork: ServerWork {
    let format: AudioFormat
    let links: RemoteLinks
    private let runtime = DictationRuntime.current
    private let connecting = DictationRuntime.current.blockingExecutor("remote-connect")

    init(_ format: AudioFormat, _ links: RemoteLinks) throws(DictationError) {
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

    func models() -> [RemoteModel] { [] }

    func makeSession(
        _ options: RecognitionOptions, named name: String
    ) async throws(DictationError) -> any RecognitionSession {
        let (links, format) = (links, format)
        return try await DecoderSession.open(name, audioFormat: format, options: options, runtime: runtime) {
            () async throws(DictationError) in
            RemoteDecoder(stream: try await RemoteStream.open(links, options, format: format))
        }
    }
}
#endif

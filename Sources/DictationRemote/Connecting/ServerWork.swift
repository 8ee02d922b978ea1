#if Remote
import DictationCore

/// The work that an engine has done by a server.
protocol ServerWork: Sendable {
    /// The format of the audio that the server takes.
    var format: AudioFormat { get }
    /// Connects ahead.
    func prepare(_ options: RecognitionOptions) async throws(DictationError)
    /// Asks the server for its models.
    func models() async throws(DictationError) -> [RemoteModel]
    func makeSession(
        _ options: RecognitionOptions, named name: String
    ) async throws(DictationError) -> any RecognitionSession
}
#endif

/// Keeps the audio of takes until their text is safe, so that a take can be recognized again after an engine failed or
/// the process was killed.
///
/// - **Choose** `WaveSpool` from DictationCapture: WAV files in a folder.
/// - **Use** it through `DictationSession`; or `makeWriter()` a take, append what the capturer says, `close()`; later
///   `read(_:)` it as often as needed, and `discard(_:)` it when its text is safe.
/// - **Implement** it where audio must not lie in plain files.
public protocol AudioSpool: Sendable {
    /// Begins to keep a new take.
    func makeWriter() async throws(DictationError) -> any AudioSpoolWriter
    /// The takes that are kept, the oldest first; also those whose writer never came to close them.
    func takes() async throws(DictationError) -> [SpooledTake]
    /// The take's buffers and gaps, where they lay when they were captured; each call reads from the beginning.
    func read(_ id: SpooledTake.ID) async throws(DictationError) -> CaptureStream
    /// Deletes a take. One that isn't there is no error.
    func discard(_ id: SpooledTake.ID) async throws(DictationError)
}

/// Writes one take to a spool. One task at a time may append.
public protocol AudioSpoolWriter: Sendable {
    /// What the take is read and discarded by.
    var id: SpooledTake.ID { get }
    /// Keeps a buffer or a gap; what is neither is ignored. Once this returns, a killed process leaves it readable.
    func append(_ event: CaptureEvent) async throws(DictationError)
    /// Marks the take as whole. A second close does nothing; an append after it throws.
    func close() async throws(DictationError)
}

/// A take that a spool keeps.
public struct SpooledTake: Sendable, Hashable, Identifiable {
    /// What the take is read and discarded by.
    public var id: String
    /// How long it is, gaps included.
    public var duration: Duration
    /// Whether its writer came to close it; when not, the process ended in the middle of it.
    public var isComplete: Bool

    /// Makes a description of a take.
    public init(id: String, duration: Duration, isComplete: Bool) {
        self.id = id
        self.duration = duration
        self.isComplete = isComplete
    }
}

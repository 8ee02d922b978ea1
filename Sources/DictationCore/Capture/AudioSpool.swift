/// Saves the audio of takes, so that an app can recognize a take again after the engine failed or the process was
/// killed.
///
/// - **Choose** `WaveSpool` from DictationCapture, which writes WAV files in a folder.
/// - **Use** it through ``DictationSession``. Or get a writer from ``makeWriter()``, append the capturer's events, and
///   close it. Later, ``read(_:)`` the take as often as you need, and ``discard(_:)`` it when you have its text.
/// - **Implement** it if audio must not be saved in plain files.
public protocol AudioSpool: Sendable {
    /// Returns a writer for a new take.
    func makeWriter() async throws(DictationError) -> any AudioSpoolWriter
    /// Returns the saved takes, the oldest first, including takes whose writer was never closed.
    func takes() async throws(DictationError) -> [SpooledTake]
    /// Returns the take's buffers and gaps with their times. Each call reads from the beginning.
    func read(_ id: SpooledTake.ID) async throws(DictationError) -> CaptureStream
    /// Deletes a take. Does nothing for an unknown take.
    func discard(_ id: SpooledTake.ID) async throws(DictationError)
}

/// Writes one take to a spool. Append from one task at a time.
public protocol AudioSpoolWriter: Sendable {
    /// The take's identifier, for reading and discarding it.
    var id: SpooledTake.ID { get }
    /// Saves buffers and gaps and ignores other events. Saved audio survives a killed process.
    func append(_ event: CaptureEvent) async throws(DictationError)
    /// Marks the take as complete. A second call does nothing. A later append throws.
    func close() async throws(DictationError)
}

/// A take in a spool.
public struct SpooledTake: Sendable, Hashable, Identifiable {
    /// The take's identifier, for reading and discarding it.
    public var id: String
    /// The take's duration, including gaps.
    public var duration: Duration
    /// Whether the writer was closed. `false` if the process ended during the take.
    public var isComplete: Bool

    /// Creates a description of a take.
    public init(id: String, duration: Duration, isComplete: Bool) {
        self.id = id
        self.duration = duration
        self.isComplete = isComplete
    }
}

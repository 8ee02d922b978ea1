public import DictationCore
import Synchronization

/// An engine that wraps another engine and records its audio and its results for a ``ReplayEngine``.
///
///     let engine = try RecordingEngine(PocketSphinxEngine(…), to: "trouble.jsonl")
///
/// - **Choose** it to record a failure and turn it into a test.
/// - **Use** it in place of the wrapped engine. It does not change the results.
/// - The file contains the user's voice, so protect it.
///
/// The recorder writes each line as it happens, so the file of a killed process is complete up to then.
/// <doc:RecordingAndReplaying> describes the format.
public final class RecordingEngine: SpeechEngine {
    private let engine: any SpeechEngine
    private let log: RecordingLog
    private let runtime = DictationRuntime.current
    private let state = Mutex(State())

    private struct State {
        var sessions = 0
        var hasHeader = false
    }

    /// Creates a recorder for an engine, and replaces the file at a path.
    ///
    /// - Parameters:
    ///   - engine: The engine to record.
    ///   - path: The path of the file. Only the user can read it.
    /// - Throws: An error if the file can't be created.
    public init(_ engine: any SpeechEngine, to path: String) throws(DictationError) {
        self.engine = engine
        log = try RecordingLog(path: path)
    }

    /// The wrapped engine's name.
    public var name: String { engine.name }
    /// The wrapped engine's capabilities.
    public var capabilities: EngineCapabilities { engine.capabilities }
    /// The wrapped engine's locales.
    public var supportedLocales: [SpeechLocale] { get async { await engine.supportedLocales } }

    /// Returns the wrapped engine's audio format.
    public func audioFormat(for options: RecognitionOptions) async throws(DictationError) -> AudioFormat {
        try await engine.audioFormat(for: options)
    }

    /// Prepares the wrapped engine.
    public func prepare(
        _ options: RecognitionOptions, progress: @escaping @Sendable (Double) -> Void
    ) async throws(DictationError) {
        try await engine.prepare(options, progress: progress)
    }

    /// Makes a session of the wrapped engine and records it. Also records the error of a session that can't be made.
    public func makeSession(_ options: RecognitionOptions) async throws(DictationError) -> any RecognitionSession {
        await writeHeader()
        var line = RecordingLine(.session)
        line.options = RecordedOptions(options)
        do throws(DictationError) {
            let session = try await engine.makeSession(options)
            line.format = session.audioFormat
            return RecordingSession(session, SessionLog(number: begin(line), log: log, runtime: runtime), runtime)
        } catch {
            line.error = RecordedError(error)
            begin(line)
            throw error
        }
    }

    /// The error that ended the recording, if any. Recognition goes on without the recording.
    public var failure: DictationError? { log.failure }

    /// Waits until everything so far is in the file.
    ///
    /// - Throws: The error that ended the recording.
    public func flush() async throws(DictationError) { try await log.flush() }

    @discardableResult
    private func begin(_ line: RecordingLine) -> Int {
        state.withLock { state in
            var line = line
            line.session = state.sessions
            log.write(line)
            state.sessions += 1
            return state.sessions - 1
        }
    }

    private func writeHeader() async {
        var header = RecordingLine(.recording)
        header.version = RecordingLine.version
        header.engine = engine.name
        header.locales = await engine.supportedLocales
        header.features = engine.capabilities.features.sorted { $0.rawValue < $1.rawValue }
        header.maximumSessions = engine.capabilities.maximumSessions
        let line = header
        state.withLock { state in
            guard !state.hasHeader else { return }
            state.hasHeader = true
            log.write(line)
        }
    }
}

public import DictationCore
import Synchronization

/// An engine around another one that writes down what it is fed and what it says; `ReplayEngine` plays that back.
///
///     let engine = try RecordingEngine(PocketSphinxEngine(…), to: "/tmp/trouble.jsonl")
///
/// - **Choose** it to catch what goes wrong once, and to make a test of it.
/// - **Use** it in place of the engine that it wraps; it changes nothing of what that says.
/// - The file holds the audio: treat it as you would the user's voice.
///
/// Each line is written as it happens, so that a process that is killed leaves everything up to then. <doc:RecordingAndReplaying>
/// describes the format.
public final class RecordingEngine: SpeechEngine {
    private let engine: any SpeechEngine
    private let log: RecordingLog
    private let runtime = DictationRuntime.current
    private let state = Mutex(State())

    private struct State {
        var sessions = 0
        var hasHeader = false
    }

    /// Wraps an engine and begins a recording at a path; a file that is there is replaced.
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

    /// The wrapped engine's audio format.
    public func audioFormat(for options: RecognitionOptions) async throws(DictationError) -> AudioFormat {
        try await engine.audioFormat(for: options)
    }

    /// Prepares the wrapped engine.
    public func prepare(
        _ options: RecognitionOptions, progress: @escaping @Sendable (Double) -> Void
    ) async throws(DictationError) {
        try await engine.prepare(options, progress: progress)
    }

    /// Makes a session of the wrapped engine and records it; that one can't be made is recorded, too.
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

    /// What kept the recording from being written, if anything did. Recognition goes on without it.
    public var failure: DictationError? { log.failure }

    /// Waits until everything so far is written; throws what kept it from being.
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

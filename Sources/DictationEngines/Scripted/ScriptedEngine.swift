public import DictationCore
import Synchronization

/// An engine that understands what a script says: for tests, demos and drawing a frontend.
///
///     let engine = ScriptedEngine([
///         .volatile("go", at: .seconds(1)),
///         .final("go forward", at: .seconds(2)),
///     ])
///
/// - **Choose** it wherever a real engine would be slow, missing or too well-behaved.
/// - **Use** it as any engine; then ask `sessions` what each was asked for and fed.
/// - Without a script it counts: `SpeechScript.counting`. With the empty script `[]` it hears nothing, and takes every
///   frame.
///
/// It keeps every promise of an engine that its script lets it keep, and waits on the runtime's clock alone.
public final class ScriptedEngine: SpeechEngine {
    /// The engine's name, `scripted` unless another was given.
    public let name: String
    /// What the engine says that it can do; options beyond it are refused.
    public let capabilities: EngineCapabilities
    private let locales: [SpeechLocale]
    private let format: AudioFormat
    private let scripts: @Sendable (Request) -> SpeechScript
    private let book = Mutex(Book())
    private let hold = StallHold()
    private let runtime = DictationRuntime.current

    /// What a script alone makes true.
    public static let scriptedFeatures: Set<EngineCapabilities.Feature> = [
        .dictation, .volatileResults, .wordTimes, .wordConfidence, .alternatives,
    ]

    /// What a session is being made for.
    public struct Request: Sendable {
        /// The attempt to make a session, counted from zero. One whose start failed counts too.
        public let attempt: Int
        /// The session's options.
        public let options: RecognitionOptions
    }

    private struct Book {
        var attempts = 0
        var open = 0
        var isPrepared = false
        var records: [Watched<SessionRecord>] = []
    }

    /// Makes an engine that plays the same script in every session.
    ///
    /// Give it more features when the script plays an engine that has them: grammars, keyphrases, contextual strings.
    public convenience init(
        _ script: SpeechScript = .counting, name: String = "scripted", locales: [SpeechLocale] = ["en-US"],
        capabilities: EngineCapabilities = EngineCapabilities(scriptedFeatures), audioFormat: AudioFormat = .speech
    ) {
        self.init(name: name, locales: locales, capabilities: capabilities, audioFormat: audioFormat) { _ in script }
    }

    /// Makes an engine that plays one script after the other, a session each; the last one again and again.
    public convenience init(
        sessions scripts: [SpeechScript], name: String = "scripted", locales: [SpeechLocale] = ["en-US"],
        capabilities: EngineCapabilities = EngineCapabilities(scriptedFeatures), audioFormat: AudioFormat = .speech
    ) {
        self.init(name: name, locales: locales, capabilities: capabilities, audioFormat: audioFormat) { request in
            request.attempt < scripts.count ? scripts[request.attempt] : scripts.last ?? []
        }
    }

    /// Makes an engine that plays the script which a closure chooses for each session, say by its locale.
    public init(
        name: String = "scripted", locales: [SpeechLocale] = ["en-US"],
        capabilities: EngineCapabilities = EngineCapabilities(scriptedFeatures), audioFormat: AudioFormat = .speech,
        choosingScript scripts: @escaping @Sendable (Request) -> SpeechScript
    ) {
        self.name = name
        self.locales = locales
        self.capabilities = capabilities
        format = audioFormat
        self.scripts = scripts
    }

    deinit { hold.release() }

    /// The locales that were given.
    public var supportedLocales: [SpeechLocale] { get async { locales } }

    /// The format that was given, whatever the options.
    public func audioFormat(for options: RecognitionOptions) async throws(DictationError) -> AudioFormat {
        try await check(options)
        return try format.validated()
    }

    /// Takes the script's slow start, in ten parts; the next session then starts at once.
    public func prepare(
        _ options: RecognitionOptions, progress: @escaping @Sendable (Double) -> Void
    ) async throws(DictationError) {
        try await check(options)
        let attempt = book.withLock { $0.attempts }
        do throws(DictationError) {
            try await warmUp(scripts(Request(attempt: attempt, options: options)), progress)
        } catch {
            book.withLock { $0.attempts += 1 }
            throw error
        }
        book.withLock { $0.isPrepared = true }
    }

    /// Makes a session that plays the script.
    public func makeSession(_ options: RecognitionOptions) async throws(DictationError) -> any RecognitionSession {
        try await check(options)
        let seat = try takeSeat()
        let (attempt, isPrepared) = book.withLock { book in
            defer {
                book.attempts += 1
                book.isPrepared = false
            }
            return (book.attempts, book.isPrepared)
        }
        let script = try scripts(Request(attempt: attempt, options: options)).validated()
        if !isPrepared { try await warmUp(script) { _ in } }
        let record = Watched(SessionRecord(attempt: attempt, options: options))
        let hold = hold
        let session = try await DecoderSession.open(
            name, audioFormat: format, options: options, on: runtime.executor ?? globalConcurrentExecutor,
            runtime: runtime,
            onEnd: {
                record.change { $0.hasEnded = true }
                seat.leave()
            },
            makeDecoder: { ScriptedDecoder(script, options: options, record: record, hold: hold) })
        book.withLock { $0.records.append(record) }
        return session
    }

    /// Ends every stall, and every later one at once.
    ///
    /// A session that was given up meanwhile comes back late, as real ones do.
    public func releaseStalls() { hold.release() }

    // MARK: What happened

    /// What each session was asked for and fed, in the order in which they were made.
    public var sessions: [SessionRecord] { book.withLock { $0.records }.map(\.value) }

    /// How many frames all sessions were fed.
    public var framesFed: Int64 { sessions.reduce(0) { $0 + $1.framesFed } }

    /// How many sessions are open.
    public var openSessions: Int { book.withLock { $0.open } }

    // MARK: Starting

    private func check(_ options: RecognitionOptions) async throws(DictationError) {
        try await validate(options.locale)
        try capabilities.validate(options, engine: name)
    }

    private func warmUp(
        _ script: SpeechScript, _ progress: @Sendable (Double) -> Void
    ) async throws(DictationError) {
        for step in try script.validated().steps {
            switch step.action {
            case .slowStart(let duration): try await sleep(duration, progress)
            case .failingStart(let error): throw error
            default: continue
            }
        }
        progress(1)
    }

    private func sleep(
        _ duration: Duration, _ progress: @Sendable (Double) -> Void
    ) async throws(DictationError) {
        let parts = 10
        for part in 0..<parts {
            progress(Double(part) / Double(parts))
            do { try await runtime.sleep(duration / parts) } catch {
                throw DictationError(.cancelled, "The engine '\(name)' was cancelled while it got ready.")
            }
        }
    }

    private func takeSeat() throws(DictationError) -> Seat {
        let isFree = book.withLock { book in
            guard book.open < capabilities.maximumSessions ?? .max else { return false }
            book.open += 1
            return true
        }
        guard isFree else {
            throw DictationError(
                .alreadyRunning,
                "The engine '\(name)' has as many sessions as it can: \(capabilities.maximumSessions ?? 0).",
                recovery: "Finish or cancel one first.")
        }
        return Seat { [weak self] in self?.book.withLock { $0.open -= 1 } }
    }
}

/// A place among the open sessions; given back once, at the latest when it is let go of.
private final class Seat: Sendable {
    private let isTaken = Mutex(true)
    private let giveBack: @Sendable () -> Void

    init(_ giveBack: @escaping @Sendable () -> Void) { self.giveBack = giveBack }

    deinit { leave() }

    func leave() {
        let wasTaken = isTaken.withLock { isTaken in
            defer { isTaken = false }
            return isTaken
        }
        if wasTaken { giveBack() }
    }
}

public import DictationCore
import Synchronization

/// An engine that plays a script, for tests, demos and user interface previews.
///
///     let engine = ScriptedEngine([
///         .volatile("go", at: .seconds(1)),
///         .final("go forward", at: .seconds(2)),
///     ])
///
/// - **Choose** it where a real engine would be slow or missing, or would not fail.
/// - **Use** it like any engine. Then read ``sessions`` for the options and the audio of each session.
/// - Without a script, it plays ``ScriptedEngine/Script/counting``. With the empty script `[]`, it takes all audio and emits no
///   text.
///
/// Unless its script prevents it, the engine keeps every promise of `SpeechEngine`. It takes its time from the
/// runtime's clock.
public final class ScriptedEngine: SpeechEngine {
    /// The engine's name, by default `scripted`.
    public let name: String
    /// The engine's capabilities. The engine refuses options beyond them.
    public let capabilities: EngineCapabilities
    private let locales: [SpeechLocale]
    private let format: AudioFormat
    private let scripts: @Sendable (Request) -> ScriptedEngine.Script
    private let book = Mutex(Book())
    private let hold = StallHold()
    private let runtime = DictationRuntime.current

    /// The features that a script alone provides.
    public static let scriptedFeatures: Set<EngineCapabilities.Feature> = [
        .dictation, .volatileResults, .wordTimes, .wordConfidence, .alternatives,
    ]

    /// A request for a session.
    public struct Request: Sendable {
        /// The number of the attempt to make a session, from zero. A failed attempt counts too.
        public let attempt: Int
        /// The session's options.
        public let options: RecognitionOptions
    }

    private struct Book {
        var attempts = 0
        var open = 0
        var isPrepared = false
        var records: [Watched<SessionRecord>] = []

        /// Adds a record, and forgets the oldest, so that an engine can make any number of sessions.
        mutating func add(_ record: Watched<SessionRecord>) {
            records.append(record)
            if records.count >= 2_000 { records.removeFirst(1_000) }
        }
    }

    /// Creates an engine that plays the same script in every session.
    ///
    /// Declare more features when the script plays an engine that has them, such as grammars, keyphrases or contextual
    /// strings.
    ///
    /// - Parameters:
    ///   - script: The script.
    ///   - name: The engine's name.
    ///   - locales: The supported locales. The engine refuses other locales.
    ///   - capabilities: The engine's capabilities. The engine refuses options beyond them.
    ///   - audioFormat: The format of the audio that the engine takes.
    public convenience init(
        _ script: ScriptedEngine.Script = .counting, name: String = "scripted", locales: [SpeechLocale] = ["en-US"],
        capabilities: EngineCapabilities = EngineCapabilities(scriptedFeatures), audioFormat: AudioFormat = .speech
    ) {
        self.init(name: name, locales: locales, capabilities: capabilities, audioFormat: audioFormat) { _ in script }
    }

    /// Creates an engine that plays another script in each session, and then repeats the last script.
    ///
    /// - Parameters:
    ///   - scripts: The scripts, in the order of the sessions.
    ///   - name: The engine's name.
    ///   - locales: The supported locales. The engine refuses other locales.
    ///   - capabilities: The engine's capabilities. The engine refuses options beyond them.
    ///   - audioFormat: The format of the audio that the engine takes.
    public convenience init(
        sessions scripts: [ScriptedEngine.Script], name: String = "scripted", locales: [SpeechLocale] = ["en-US"],
        capabilities: EngineCapabilities = EngineCapabilities(scriptedFeatures), audioFormat: AudioFormat = .speech
    ) {
        self.init(name: name, locales: locales, capabilities: capabilities, audioFormat: audioFormat) { request in
            request.attempt < scripts.count ? scripts[request.attempt] : scripts.last ?? []
        }
    }

    /// Creates an engine with a closure that chooses the script of each session, for example by its locale.
    ///
    /// - Parameters:
    ///   - name: The engine's name.
    ///   - locales: The supported locales. The engine refuses other locales.
    ///   - capabilities: The engine's capabilities. The engine refuses options beyond them.
    ///   - audioFormat: The format of the audio that the engine takes.
    ///   - scripts: Returns the script for a session.
    public init(
        name: String = "scripted", locales: [SpeechLocale] = ["en-US"],
        capabilities: EngineCapabilities = EngineCapabilities(scriptedFeatures), audioFormat: AudioFormat = .speech,
        choosingScript scripts: @escaping @Sendable (Request) -> ScriptedEngine.Script
    ) {
        self.name = name
        self.locales = locales
        self.capabilities = capabilities
        format = audioFormat
        self.scripts = scripts
    }

    deinit { hold.release() }

    /// The supported locales.
    public var supportedLocales: [SpeechLocale] { get async { locales } }

    /// Returns the engine's audio format.
    public func audioFormat(for options: RecognitionOptions) async throws(DictationError) -> AudioFormat {
        try await check(options)
        return try format.validated()
    }

    /// Waits for the script's slow start, and reports progress in ten parts. The next session then starts at once.
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

    /// Makes a session that plays its script.
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
        book.withLock { $0.add(record) }
        return session
    }

    /// Ends all current and later stalls at once.
    ///
    /// A session that was abandoned meanwhile returns late, like a session of a real engine.
    public func releaseStalls() { hold.release() }

    // MARK: Records

    /// The record of each session, in the order in which the sessions were made. Of many sessions, the newest thousand or
    /// more have one.
    public var sessions: [SessionRecord] { book.withLock { $0.records }.map(\.value) }

    /// The number of frames that all of ``sessions`` have taken.
    public var framesFed: Int64 { sessions.reduce(0) { $0 + $1.framesFed } }

    /// The number of open sessions.
    public var openSessions: Int { book.withLock { $0.open } }

    // MARK: Starting

    private func check(_ options: RecognitionOptions) async throws(DictationError) {
        try await validate(options.locale)
        try capabilities.validate(options, engine: name)
    }

    private func warmUp(
        _ script: ScriptedEngine.Script, _ progress: @Sendable (Double) -> Void
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
                throw DictationError(.cancelled, "The start of the engine “\(name)” was cancelled.")
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
                "The engine “\(name)” already has its maximum of \(capabilities.maximumSessions ?? 0) sessions.",
                recovery: "Finish or cancel a session first.")
        }
        return Seat { [weak self] in self?.book.withLock { $0.open -= 1 } }
    }
}

/// A place among the open sessions, given back once, at the latest when it is released.
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

public import DictationCore
import Synchronization

/// An engine that says again what a `RecordingEngine` wrote down.
///
///     let engine = try ReplayEngine(contentsOfFile: "/tmp/trouble.jsonl")
///
/// - **Choose** it to make a test of something that happened once, without the engine that it happened with.
/// - **Use** it as any engine: its first session replays the first that was recorded, and so on. Results come when as
///   much audio was fed as when they were recorded, however it is cut now.
/// - Its sessions want the audio of the recording, `recording.sessions[0].audio`, unless it is told not to mind.
public final class ReplayEngine: SpeechEngine {
    /// What must be as it was recorded.
    public enum Exactness: Sendable, Hashable {
        /// The audio, its times and the options, but for the deadline. A difference ends the session with an error
        /// that says where it is.
        case exact
        /// The task. Any audio is taken, and any options that the recording has what is needed for.
        case lenient
    }

    /// The recording.
    public let recording: Recording
    private let exactness: Exactness
    private let runtime = DictationRuntime.current
    private let replayed = Mutex(0)

    /// Makes an engine that replays a recording.
    public init(_ recording: Recording, exactness: Exactness = .exact) {
        self.recording = recording
        self.exactness = exactness
    }

    /// Makes an engine that replays the recording in a file.
    public convenience init(contentsOfFile path: String, exactness: Exactness = .exact) throws(DictationError) {
        self.init(try Recording(contentsOfFile: path), exactness: exactness)
    }

    /// The recorded engine's name.
    public var name: String { recording.engine }
    /// The recorded engine's capabilities.
    public var capabilities: EngineCapabilities { recording.capabilities }
    /// The recorded engine's locales.
    public var supportedLocales: [SpeechLocale] { get async { recording.locales } }

    /// The audio that the next session takes.
    public func audioFormat(for options: RecognitionOptions) async throws(DictationError) -> AudioFormat {
        let session = try session(replayed.withLock { $0 })
        try await check(options, session)
        guard let format = session.audioFormat else { throw session.error ?? hasNoFormat }
        return format
    }

    /// Replays the next session. Throws what was thrown when it was recorded.
    public func makeSession(_ options: RecognitionOptions) async throws(DictationError) -> any RecognitionSession {
        let number = replayed.withLock { number in
            defer { number += 1 }
            return number
        }
        let session = try session(number)
        try await check(options, session)
        guard let format = session.audioFormat else { throw session.error ?? hasNoFormat }
        let decoding = try await DecoderSession.open(
            name, audioFormat: format, options: options,
            on: runtime.executor ?? globalConcurrentExecutor, runtime: runtime,
            makeDecoder: { ReplayDecoder(session) })
        return exactness == .exact ? ReplaySession(decoding, replaying: session) : decoding
    }

    private func session(_ number: Int) throws(DictationError) -> Recording.Session {
        guard recording.sessions.indices.contains(number) else {
            throw DictationError(
                .invalidInput,
                "The recording has \(recording.sessions.count) sessions, and one more was asked for."
                    + (recording.damage.map { " It could be read only to its \($0)." } ?? ""),
                recovery: "Make a new ReplayEngine to replay it again.")
        }
        return recording.sessions[number]
    }

    private var hasNoFormat: DictationError {
        DictationError(.invalidInput, "The recorded session has no audio format.", recovery: "Record it again.")
    }

    private func check(_ options: RecognitionOptions, _ session: Recording.Session) async throws(DictationError) {
        var (wanted, recorded) = (options, session.options)
        if exactness == .lenient {
            try await validate(options.locale)
            try capabilities.validate(options, engine: name)
            wanted = wanted.withoutWhatMayDiffer(from: recorded)
            recorded = recorded.withoutWhatMayDiffer(from: recorded)
        }
        wanted.finalizationTimeout = recorded.finalizationTimeout
        guard wanted != recorded else { return }
        throw DictationError(
            .unsupportedOption,
            "The recording was made with other options: \(recorded.differences(from: wanted)).",
            recovery: "Ask for what was recorded"
                + (exactness == .exact ? ", or make the ReplayEngine with exactness: .lenient." : "."))
    }
}

extension RecognitionOptions {
    /// The options without those that a replay can do without, or with less than was recorded.
    fileprivate func withoutWhatMayDiffer(from recorded: RecognitionOptions) -> RecognitionOptions {
        var options = self
        options.locale = recorded.locale
        options.priority = recorded.priority
        options.contextualStrings = recorded.contextualStrings
        options.volatileResults = options.volatileResults || recorded.volatileResults
        options.wordTimes = options.wordTimes || recorded.wordTimes
        options.wordConfidence = options.wordConfidence || recorded.wordConfidence
        options.maximumAlternatives = max(options.maximumAlternatives, recorded.maximumAlternatives)
        return options
    }

    fileprivate func differences(from wanted: RecognitionOptions) -> String {
        var found: [String] = []
        func compare<Value: Equatable>(_ name: String, _ path: KeyPath<RecognitionOptions, Value>) {
            guard self[keyPath: path] != wanted[keyPath: path] else { return }
            found.append("\(name) was \(self[keyPath: path]) and is now \(wanted[keyPath: path])")
        }
        compare("locale", \.locale)
        compare("task", \.task)
        compare("priority", \.priority)
        compare("volatileResults", \.volatileResults)
        compare("wordTimes", \.wordTimes)
        compare("wordConfidence", \.wordConfidence)
        compare("maximumAlternatives", \.maximumAlternatives)
        compare("contextualStrings", \.contextualStrings)
        return found.joined(separator: "; ")
    }
}

public import DictationCore
import Synchronization

/// An engine that emits the results in a ``RecordingEngine``'s file again.
///
///     let engine = try ReplayEngine(contentsOfFile: "trouble.jsonl")
///
/// - **Choose** it to turn a failure into a test that does not need the recorded engine.
/// - **Use** it like any engine. Its first session replays the first recorded session, and so on. A result appears at
///   the same audio time as in the recording, whatever the sizes of the buffers.
/// - By default, its sessions accept only the recorded audio, such as `recording.sessions[0].audio`. With
///   ``Exactness/lenient`` they accept any audio.
public final class ReplayEngine: SpeechEngine {
    /// The inputs that must match the recording.
    public enum Exactness: Sendable, Hashable {
        /// The audio, its times, and the options except the finalization timeout. A difference in the audio ends the
        /// session with an error that names the place.
        case exact
        /// The task only. A session accepts any audio, and any options for which the recording has the data.
        case lenient
    }

    /// The recording.
    public let recording: ReplayEngine.Recording
    private let exactness: Exactness
    private let runtime = DictationRuntime.current
    private let replayed = Mutex(0)

    /// Creates an engine that replays a recording.
    public init(_ recording: ReplayEngine.Recording, exactness: Exactness = .exact) {
        self.recording = recording
        self.exactness = exactness
    }

    /// Creates an engine that replays the recording in a file.
    ///
    /// - Throws: The errors of ``ReplayEngine/Recording/init(contentsOfFile:)``.
    public convenience init(contentsOfFile path: String, exactness: Exactness = .exact) throws(DictationError) {
        self.init(try ReplayEngine.Recording(contentsOfFile: path), exactness: exactness)
    }

    /// The recorded engine's name.
    public var name: String { recording.engine }
    /// The recorded engine's capabilities.
    public var capabilities: EngineCapabilities { recording.capabilities }
    /// The recorded engine's locales.
    public var supportedLocales: [SpeechLocale] { get async { recording.locales } }

    /// Returns the audio format of the next session.
    public func audioFormat(for options: RecognitionOptions) async throws(DictationError) -> AudioFormat {
        let session = try session(replayed.withLock { $0 })
        try await check(options, session)
        guard let format = session.audioFormat else { throw session.error ?? hasNoFormat }
        return format
    }

    /// Makes a session that replays the next recorded session. Throws the recorded error of a session that was not
    /// made.
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

    private func session(_ number: Int) throws(DictationError) -> ReplayEngine.Recording.Session {
        guard recording.sessions.indices.contains(number) else {
            throw DictationError(
                .invalidInput,
                "The recording has only \(recording.sessions.count) sessions, but another one was requested."
                    + (recording.damage.map { " Reading it ended at \($0)." } ?? ""),
                recovery: "Create a new ReplayEngine to replay the recording again.")
        }
        return recording.sessions[number]
    }

    private var hasNoFormat: DictationError {
        DictationError(.invalidInput, "The recorded session has no audio format.", recovery: "Record it again.")
    }

    private func check(_ options: RecognitionOptions, _ session: ReplayEngine.Recording.Session)
        async throws(DictationError)
    {
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
            "The options differ from the recording's: \(recorded.differences(from: wanted)).",
            recovery: "Use the recorded options"
                + (exactness == .exact ? ", or create the ReplayEngine with exactness: .lenient." : "."))
    }
}

extension RecognitionOptions {
    /// Returns the options with the recording's value for each option that a lenient replay may change.
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

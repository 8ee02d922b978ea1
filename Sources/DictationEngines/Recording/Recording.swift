public import DictationCore
import DictationFiles
import FoundationEssentials

/// What a `RecordingEngine` wrote down: its engine, and every session's options, audio and results.
public struct Recording: Sendable {
    /// The recorded engine's name.
    public internal(set) var engine: String
    /// The recorded engine's locales.
    public internal(set) var locales: [SpeechLocale]
    /// The recorded engine's capabilities.
    public internal(set) var capabilities: EngineCapabilities
    /// The sessions, in the order in which they were made.
    public internal(set) var sessions: [Session]
    /// Where and why reading ended before the end of the file; `nil` when all of it was read.
    ///
    /// A recorder that was killed may leave half a line. What comes before it is whole.
    public internal(set) var damage: String?

    /// A recorded session.
    public struct Session: Sendable {
        /// What it was asked for.
        public internal(set) var options: RecognitionOptions
        /// The audio that it took; `nil` when it could not be made.
        public internal(set) var audioFormat: AudioFormat?
        /// The audio that it was fed, a buffer for each piece that was written.
        public internal(set) var audio: [AudioBuffer] = []
        /// Whether the recording has the end of the audio.
        public internal(set) var hasWholeAudio = false
        /// What it said, in order.
        public internal(set) var results: [TimedResult] = []
        /// The error that it ended with, or why it could not be made.
        public internal(set) var error: DictationError?
        /// How much audio it had taken when the error came.
        public internal(set) var errorFed: Duration = .zero

        /// Where the audio ends.
        public var duration: Duration { audio.last?.end ?? .zero }
    }

    /// A result and when it came.
    public struct TimedResult: Sendable, Hashable {
        /// The result.
        public var result: SpeechResult
        /// How much audio the engine had taken by then. One that reads ahead had taken a little more than it used.
        public var fed: Duration
        /// Whether the audio had ended by then.
        public var isAfterEnd: Bool
        /// How long after the session was made.
        public var elapsed: Duration
    }

    /// Loads a recording from a file.
    public init(contentsOfFile path: String) throws(DictationError) {
        let contents = Data(try FileListing.contents(of: path))
        try self.init(lines: contents, source: "The recording at '\(path)'")
    }

    /// Makes a recording from the text of its file.
    public init(jsonLines: String) throws(DictationError) {
        try self.init(lines: Data(jsonLines.utf8), source: "The recording")
    }

    private init(lines contents: Data, source: String) throws(DictationError) {
        var lines = contents.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)[...]
        // What follows the last newline is a line that was not finished, or nothing.
        let rest = lines.popLast() ?? Data()
        let header: RecordingLine
        do throws(RecordingDamage) {
            guard let first = lines.popFirst() else { throw RecordingDamage("it is not whole") }
            header = try RecordingLine(decoding: first)
            guard header.kind == .recording else { throw RecordingDamage("it is not a recording's first line") }
            guard header.version == RecordingLine.version else {
                throw RecordingDamage("version \(header.version.map(String.init) ?? "?") is not known, only 1 is")
            }
        } catch {
            throw DictationError(
                .invalidInput, "\(source) can't be used; line 1: \(error.what).",
                recovery: "Use a file that a RecordingEngine wrote.")
        }
        engine = header.engine ?? "unknown"
        locales = header.locales ?? []
        capabilities = EngineCapabilities(Set(header.features ?? []), maximumSessions: header.maximumSessions)
        sessions = []
        for (index, line) in lines.enumerated() {
            do throws(RecordingDamage) { try read(try RecordingLine(decoding: line)) } catch {
                damage = "line \(index + 2): \(error.what)"
                return
            }
        }
        if !rest.isEmpty { damage = "line \(lines.count + 2): it is not whole" }
    }

    private mutating func read(_ line: RecordingLine) throws(RecordingDamage) {
        guard let number = line.session else { throw RecordingDamage("it names no session") }
        guard line.kind != .session else { return try begin(line, number) }
        guard sessions.indices.contains(number) else { throw RecordingDamage("it is of a session that was not begun") }
        try sessions[number].read(line)
    }

    private mutating func begin(_ line: RecordingLine, _ number: Int) throws(RecordingDamage) {
        guard number == sessions.count, let options = line.options else {
            throw RecordingDamage("it does not begin session \(sessions.count)")
        }
        var session = Session(options: try options.options())
        session.error = line.error?.error
        if let format = line.format {
            do throws(DictationError) { session.audioFormat = try format.validated() } catch {
                throw RecordingDamage("its format can't be used")
            }
        } else if session.error == nil {
            throw RecordingDamage("it has no format")
        }
        sessions.append(session)
    }
}

extension Recording.Session {
    fileprivate mutating func read(_ line: RecordingLine) throws(RecordingDamage) {
        switch line.kind {
        case .audio: audio.append(try buffer(line))
        case .inputEnd: hasWholeAudio = line.error == nil
        case .result:
            guard let recorded = line.result, let fed = line.fed, let elapsed = line.elapsed else {
                throw RecordingDamage("a result without its times")
            }
            let result = Recording.TimedResult(
                result: try recorded.result(), fed: fed.duration, isAfterEnd: hasWholeAudio, elapsed: elapsed.duration)
            guard result.fed >= results.last?.fed ?? .zero else { throw RecordingDamage("a result before its time") }
            results.append(result)
        case .end:
            error = line.error?.error
            errorFed = line.fed?.duration ?? duration
        case .call: break
        case .recording, .session: throw RecordingDamage("it does not belong here")
        }
    }

    private func buffer(_ line: RecordingLine) throws(RecordingDamage) -> AudioBuffer {
        guard let format = audioFormat, let start = line.start, let bytes = line.bytes,
            bytes.count.isMultiple(of: format.bytesPerFrame), !hasWholeAudio
        else { throw RecordingDamage("audio that does not belong here") }
        guard start.duration >= duration - format.duration(ofFrames: 1) else {
            throw RecordingDamage("audio before the end of the audio before it")
        }
        return AudioBuffer(format: format, start: start.duration, frameCount: bytes.count / format.bytesPerFrame) {
            $0.copyBytes(from: bytes)
        }
    }
}

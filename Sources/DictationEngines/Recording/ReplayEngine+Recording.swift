public import DictationCore
import DictationSystem
import FoundationEssentials

extension ReplayEngine {
    /// The contents of a ``RecordingEngine``'s file: the engine, and each session's options, audio and updates.
    public struct Recording: Sendable {
        /// The recorded engine's name.
        public internal(set) var engine: String
        /// The recorded engine's locales.
        public internal(set) var locales: [SpeechLocale]
        /// The recorded engine's capabilities.
        public internal(set) var capabilities: EngineCapabilities
        /// The recorded sessions, in the order in which they were made.
        public internal(set) var sessions: [Session]
        /// The place and the reason if reading ended before the end of the file; `nil` if the whole file was read.
        ///
        /// A killed recorder may leave half a line. Everything before that line is complete.
        public internal(set) var damage: String?

        /// A recorded session.
        public struct Session: Sendable {
            /// The session's options.
            public internal(set) var options: RecognitionOptions
            /// The format of the session's audio; `nil` if the session could not be made.
            public internal(set) var audioFormat: AudioFormat?
            /// The audio that the session has taken, with a buffer for each line of the file.
            public internal(set) var audio: [AudioBuffer] = []
            /// Whether the recording contains the end of the audio.
            public internal(set) var hasWholeAudio = false
            /// The session's updates, in order.
            public internal(set) var updates: [TimedUpdate] = []
            /// The error that ended the session or kept it from being made, if any.
            public internal(set) var error: DictationError?
            /// The end of the audio that the session had taken before the error.
            public internal(set) var errorFed: Duration = .zero

            /// The end of the audio.
            public var duration: Duration { audio.last?.end ?? .zero }
        }

        /// An update and its time.
        public struct TimedUpdate: Sendable, Hashable {
            /// The update.
            public var update: SpeechUpdate
            /// The end of the audio that the engine had taken. An engine that reads ahead takes a little more than it uses.
            public var fed: Duration
            /// Whether the update came after the end of the audio.
            public var isAfterEnd: Bool
            /// The time since the session was made.
            public var elapsed: Duration
        }

        /// Loads a recording from a file.
        ///
        /// If the file is damaged after its first line, the recording contains everything before the ``damage``.
        ///
        /// - Throws: `invalidInput` if the first line is damaged, or an error of the file.
        public init(contentsOfFile path: String) throws(DictationError) {
            let contents = Data(try FileListing.contents(of: path))
            try self.init(lines: contents, source: "The recording at “\(path)”")
        }

        /// Creates a recording from the text of its file.
        ///
        /// - Throws: `invalidInput` if the first line is damaged.
        public init(jsonLines: String) throws(DictationError) {
            try self.init(lines: Data(jsonLines.utf8), source: "The recording")
        }

        private init(lines contents: Data, source: String) throws(DictationError) {
            var lines = contents.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)[...]
            // An incomplete line may follow the last newline.
            let rest = lines.popLast() ?? Data()
            let header: RecordingLine
            do throws(RecordingDamage) {
                guard let first = lines.popFirst() else { throw RecordingDamage("it is incomplete") }
                header = try RecordingLine(decoding: first)
                guard header.kind == .recording else { throw RecordingDamage("it is not a recording's first line") }
                guard header.version == RecordingLine.version else {
                    throw RecordingDamage(
                        "version \(header.version.map(String.init) ?? "?") is not supported, only 1 is")
                }
            } catch {
                throw DictationError(
                    .invalidInput, "\(source) can't be used because of line 1: \(error.what).",
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
            if !rest.isEmpty { damage = "line \(lines.count + 2): it is incomplete" }
        }

        private mutating func read(_ line: RecordingLine) throws(RecordingDamage) {
            guard let number = line.session else { throw RecordingDamage("it has no session number") }
            guard line.kind != .session else { return try begin(line, number) }
            guard sessions.indices.contains(number) else { throw RecordingDamage("its session has not begun") }
            try sessions[number].read(line)
        }

        private mutating func begin(_ line: RecordingLine, _ number: Int) throws(RecordingDamage) {
            guard number == sessions.count, let options = line.options else {
                throw RecordingDamage("it should begin session \(sessions.count)")
            }
            var session = Session(options: try options.options())
            session.error = line.error?.error
            if let format = line.format {
                do throws(DictationError) { session.audioFormat = try format.validated() } catch {
                    throw RecordingDamage("its audio format is invalid")
                }
            } else if session.error == nil {
                throw RecordingDamage("it has no audio format")
            }
            sessions.append(session)
        }
    }
}

extension ReplayEngine.Recording.Session {
    fileprivate mutating func read(_ line: RecordingLine) throws(RecordingDamage) {
        switch line.kind {
        case .audio: audio.append(try buffer(line))
        case .inputEnd: hasWholeAudio = line.error == nil
        case .update:
            guard let recorded = line.update, let fed = line.fed, let elapsed = line.elapsed else {
                throw RecordingDamage("its update has no times")
            }
            let update = ReplayEngine.Recording.TimedUpdate(
                update: try recorded.update(), fed: fed.duration, isAfterEnd: hasWholeAudio, elapsed: elapsed.duration)
            guard update.fed >= updates.last?.fed ?? .zero else { throw RecordingDamage("its update is out of order") }
            updates.append(update)
        case .end:
            error = line.error?.error
            errorFed = line.fed?.duration ?? duration
        case .call: break
        case .recording, .session: throw RecordingDamage("its kind is not allowed here")
        }
    }

    private func buffer(_ line: RecordingLine) throws(RecordingDamage) -> AudioBuffer {
        guard let format = audioFormat, let start = line.start, let bytes = line.bytes,
            bytes.count.isMultiple(of: format.bytesPerFrame), !hasWholeAudio
        else { throw RecordingDamage("its audio is incomplete or not allowed here") }
        guard start.duration >= duration - format.duration(ofFrames: 1) else {
            throw RecordingDamage("its audio begins before the end of earlier audio")
        }
        return AudioBuffer(format: format, start: start.duration, frameCount: bytes.count / format.bytesPerFrame) {
            $0.copyBytes(from: bytes)
        }
    }
}

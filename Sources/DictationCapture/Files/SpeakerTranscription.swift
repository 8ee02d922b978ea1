public import DictationCore

/// The transcription of a recording whose speakers were recorded on channels of their own.
///
/// The elements are the final results of all speakers, in the order in which they were said. Each names its speaker.
///
///     for try await phrase in try await engine.transcribe(file: "call.m4a", channels: .separate) {
///         print(phrase.speaker ?? "", phrase.text)
///     }
public struct SpeakerTranscription: AsyncSequence, Sendable {
    /// A final result.
    public typealias Element = SpeechResult
    /// The error that ends the sequence early.
    public typealias Failure = DictationError

    /// A speaker and the transcription of their channel.
    struct Speaker: Sendable {
        var name: String?
        var transcription: Transcription
    }

    private let speakers: [Speaker]
    private let atOnce: Int
    private let currentProgress: @Sendable () -> FileProgress

    /// Creates a transcription of several speakers.
    ///
    /// - Parameters:
    ///   - speakers: The speakers.
    ///   - atOnce: The greatest number of sessions at once.
    ///   - progress: Returns the progress of reading the recording.
    init(_ speakers: [Speaker], atOnce: Int, progress: @escaping @Sendable () -> FileProgress) {
        self.speakers = speakers
        self.atOnce = atOnce
        currentProgress = progress
    }

    /// The progress of reading the recording. The duration is known once the first result or update was asked for.
    public var progress: FileProgress { currentProgress() }

    /// How much of the recording was decoded, in any order. Its text may come later, because text comes in order.
    ///
    /// Only several workers report it. With one, the time of the newest update tells the progress.
    public var decoded: Duration {
        speakers.reduce(.zero) { $0 + $1.transcription.decoded } / Swift.max(1, speakers.count)
    }

    /// Creates an iterator; the first call of `next()` starts the work.
    public func makeAsyncIterator() -> Iterator { Iterator(updates: updates().makeAsyncIterator()) }

    /// Transcribes the recording and returns its final results.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var updates: Updates.Iterator

        /// The text so far with its times. It stays available after an error.
        public var transcript: Transcript { updates.transcript }

        /// Returns the next final result; `nil` at the end of the recording, or when the task is cancelled.
        public mutating func next() async throws(DictationError) -> SpeechResult? {
            try await next(isolation: #isolation)
        }
        /// Returns the next final result; `nil` at the end of the recording, or when the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(DictationError) -> SpeechResult?
        {
            while let update = try await updates.next(isolation: actor) {
                if let result = update.finalResult { return result }
            }
            return nil
        }
    }

    /// Returns every update: final results and the times through which all speakers' text is final. Volatile results
    /// come only from a recording with one speaker, because they can't be put in order.
    ///
    /// Each iterator transcribes the recording again.
    public func updates() -> Updates { Updates(speakers: speakers, atOnce: atOnce) }

    /// The updates of a transcription.
    public struct Updates: AsyncSequence, Sendable {
        /// An update.
        public typealias Element = SpeechUpdate
        /// The error that ends the sequence early.
        public typealias Failure = DictationError

        fileprivate let speakers: [Speaker]
        fileprivate let atOnce: Int

        /// Creates an iterator; the first call of `next()` starts the work.
        public func makeAsyncIterator() -> Iterator {
            Iterator(
                voices: speakers.map { Voice(name: $0.name, updates: $0.transcription.updates().makeAsyncIterator()) },
                atOnce: atOnce)
        }

        /// Transcribes the recording and returns its updates.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate var voices: [Voice]
            fileprivate let atOnce: Int
            private var order = SpeakerOrder()

            fileprivate init(voices: [Voice], atOnce: Int) {
                self.voices = voices
                self.atOnce = atOnce
            }

            /// The text so far with its times. It stays available after an error.
            public var transcript: Transcript {
                let parts = voices.map(\.updates.transcript)
                guard var whole = parts.first, parts.count > 1 else { return parts.first ?? Transcript() }
                whole.segments = order.released
                whole.duration = parts.map(\.duration).max() ?? .zero
                whole.isComplete = parts.allSatisfy(\.isComplete)
                // Every channel has the gaps of the recording.
                for gap in parts.dropFirst().flatMap(\.gaps) where !whole.gaps.contains(gap) { whole.gaps.append(gap) }
                whole.gaps.sort { $0.range.lowerBound < $1.range.lowerBound }
                return whole
            }

            /// Returns the next update; `nil` at the end of the recording, or when the task is cancelled.
            public mutating func next() async throws(DictationError) -> SpeechUpdate? {
                try await next(isolation: #isolation)
            }

            /// Returns the next update; `nil` at the end of the recording, or when the task is cancelled.
            public mutating func next(
                isolation actor: isolated (any Actor)?
            ) async throws(DictationError) -> SpeechUpdate? {
                if voices.count == 1 { return try await voices[0].updates.next(isolation: actor) }
                while true {
                    if let update = order.next(through: voices.compactMap(\.time).min()) { return update }
                    // The one that is furthest behind holds the others' results back.
                    let open = voices.indices.filter { voices[$0].time != nil }.prefix(atOnce)
                    guard let index = open.min(by: { (voices[$0].time ?? .zero) < (voices[$1].time ?? .zero) }) else {
                        break
                    }
                    await voices[index].advance(into: &order, isolation: actor)
                }
                guard let failure = voices.lazy.compactMap(\.failure).first else { return nil }
                for index in voices.indices { voices[index].failure = nil }
                throw failure
            }
        }
    }

    /// Transcribes the recording and returns all of the text with its times and speakers.
    ///
    /// - Throws: The error that ended the transcription early; `cancelled` when the task is cancelled.
    public func transcript() async throws(DictationError) -> Transcript {
        var updates = updates().makeAsyncIterator()
        while try await updates.next() != nil {}
        if Task.isCancelled { throw DictationError(.cancelled, "The transcription was cancelled.") }
        return updates.transcript
    }
}

// An iterator belongs to one task; another task creates its own.
@available(*, unavailable) extension SpeakerTranscription.Iterator: Sendable {}
@available(*, unavailable) extension SpeakerTranscription.Updates.Iterator: Sendable {}

/// One speaker's updates, as far as they were read.
private struct Voice {
    let name: String?
    var updates: Transcription.Updates.Iterator
    /// The time through which the speaker's text is known, or `nil` at the end.
    var time: Duration? = .zero
    var failure: DictationError?

    /// Reads one update. After an error, the other speakers go on.
    mutating func advance(into order: inout SpeakerOrder, isolation actor: isolated (any Actor)?) async {
        do throws(DictationError) {
            guard let update = try await updates.next(isolation: actor) else {
                time = nil
                return
            }
            switch update {
            case .final(var result):
                result.speaker = name
                order.add(result)
                time = max(time ?? .zero, result.range.upperBound)
            case .finalized(let through): time = max(time ?? .zero, through)
            case .interrupted(let interruption):
                if let lost = interruption.lost { time = max(time ?? .zero, lost.upperBound) }
            case .volatile, .revoked: break
            }
        } catch {
            failure = error
            time = nil
        }
    }
}

/// Puts the final results of several speakers in the order in which they were said.
struct SpeakerOrder {
    /// The results that were released, in order.
    private(set) var released: [SpeechResult] = []
    private var waiting: [SpeechResult] = []
    private var finalizedThrough: Duration = .zero

    /// Adds a speaker's next result.
    mutating func add(_ result: SpeechResult) {
        let before = waiting.lastIndex { $0.range.lowerBound <= result.range.lowerBound }
        waiting.insert(result, at: before.map { $0 + 1 } ?? 0)
    }

    /// Returns the next update, or `nil` if it depends on a speaker who is behind.
    ///
    /// - Parameter time: The time before which no speaker has any more results, or `nil` if all have ended.
    mutating func next(through time: Duration?) -> SpeechUpdate? {
        if let first = waiting.first, time.map({ first.range.lowerBound < $0 }) ?? true {
            released.append(waiting.removeFirst())
            return .final(first)
        }
        guard let time, time > finalizedThrough else { return nil }
        finalizedThrough = time
        return .finalized(through: time)
    }
}

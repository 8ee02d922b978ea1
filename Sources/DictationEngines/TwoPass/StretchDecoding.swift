import DictationCore
import Synchronization

/// An engine's words for one stretch of audio.
struct StretchText: Sendable {
    var text = ""
    /// The words with their times, if the engine was asked for them.
    var words: [SpeechResult.Word] = []
    var alternatives: [SpeechResult.Alternative] = []

    init() {}

    /// Creates the text of results that follow one another.
    init(_ results: [SpeechResult]) {
        text = results.map(\.text).joinedAsWritten
        words = results.flatMap(\.words)
        // The alternatives of several results can't be combined.
        if results.count == 1 { alternatives = results[0].alternatives }
    }
}

/// Decodes stretches of audio with an engine, each in a session of its own.
struct StretchDecoding: Sendable {
    let engine: any SpeechEngine
    let options: RecognitionOptions
    let converters: any FormatConverterProvider
    private let patience = Patience()
    private var runtime: DictationRuntime { .current }

    init(engine: any SpeechEngine, options: RecognitionOptions, converters: any FormatConverterProvider) {
        self.engine = engine
        self.options = options
        self.converters = converters
    }

    /// Silence around the audio.
    struct Silence: Sendable {
        var before: Duration = .zero
        var after: Duration = .zero
    }

    /// Decodes a stretch.
    ///
    /// - Parameters:
    ///   - stretch: The audio.
    ///   - silence: The silence around it.
    ///   - session: A session to use; `nil` makes one.
    /// - Returns: The text; `nil` if the engine has no session free or does not end in time, or has not done so for a
    ///   while.
    /// - Throws: The error of the engine.
    func text(
        of stretch: AudioStretch, in silence: Silence = Silence(), with session: (any RecognitionSession)? = nil
    ) async throws(DictationError) -> StretchText? {
        guard patience.isLeft else { return nil }
        let opened: (any RecognitionSession)?
        if let session { opened = session } else { opened = try await openIfRoom() }
        guard let opened else { return nil }
        let (input, lead) = stretch.input(in: silence)
        try opened.start(AudioInput(converting: input, to: opened.audioFormat, by: converters))
        let reading = runtime.task { [results = opened.results] () async -> [SpeechResult] in
            var found: [SpeechResult] = []
            var iterator = results.makeAsyncIterator()
            // `finish()` throws the same error.
            while let update = try? await iterator.next() {
                if let result = update.finalResult { found.append(result) }
            }
            return found
        }
        defer { reading.cancel() }
        let isInTime = try await outcome(of: opened, after: reading) == .complete
        patience.note(isInTime: isInTime)
        guard isInTime else { return nil }
        let shift = stretch.range.lowerBound - lead
        return StretchText(await reading.value.map { $0.moved(by: shift, into: stretch.range) })
    }

    /// Finishes a session. An engine whose results have ended has little time left: the user waits, and no more text comes.
    private func outcome(
        of session: any RecognitionSession, after reading: Task<[SpeechResult], Never>
    ) async throws(DictationError) -> FinalizationOutcome {
        let outcome = Watched<Result<FinalizationOutcome, DictationError>?>(nil)
        func note(_ result: Result<FinalizationOutcome, DictationError>) { outcome.change { $0 = $0 ?? result } }
        let tasks = [
            runtime.task { note(await .of { () throws(DictationError) in try await session.finish() }) },
            runtime.task { [runtime] in
                _ = await reading.value
                try? await runtime.sleep(Self.timeAfterResults)
                if !Task.isCancelled { note(.success(.incomplete)) }
            },
        ]
        defer { for task in tasks { task.cancel() } }
        guard let result = await outcome.first({ $0 }) else { throw .callCancelled }
        return try result.get()
    }

    /// The time that a session whose results have ended may take to finish.
    private static let timeAfterResults = Duration.seconds(1)

    /// Makes a session; `nil` if the engine has none free.
    func openIfRoom() async throws(DictationError) -> (any RecognitionSession)? {
        guard patience.isLeft else { return nil }
        do throws(DictationError) { return try await engine.makeSession(options) } catch {
            guard error.code == .alreadyRunning else { throw error }
            return nil
        }
    }
}

/// The number of times in a row that an engine may not end in time. A stuck engine keeps a thread and a model each time,
/// and the user waits each time.
private final class Patience: Sendable {
    private static let most = 3
    private let count = Mutex(0)

    var isLeft: Bool { count.withLock { $0 < Self.most } }

    func note(isInTime: Bool) { count.withLock { $0 = isInTime ? 0 : $0 + 1 } }
}

extension AudioStretch {
    /// Returns the audio with silence around it, and the time from its beginning to the stretch.
    fileprivate func input(in silence: StretchDecoding.Silence) -> (AudioInput, Duration) {
        guard let format = buffers.first?.format, let end = buffers.last?.end else { return (AudioInput([]), .zero) }
        let lead = AudioBuffer(silence: Int(clamping: format.frames(in: silence.before)), format: format)
        let shift = lead.duration - range.lowerBound
        let tail = AudioBuffer(
            silence: Int(clamping: format.frames(in: silence.after)), format: format, start: end + shift)
        return (AudioInput([lead] + buffers.map { $0.moved(to: $0.start + shift) } + [tail]), lead.duration)
    }
}

extension SpeechResult {
    /// Returns the result at another time, cut to a range.
    fileprivate func moved(by time: Duration, into limits: Range<Duration>) -> SpeechResult {
        func move(_ range: Range<Duration>) -> Range<Duration> {
            (range.lowerBound + time..<range.upperBound + time).clamped(to: limits)
        }
        var moved = self
        moved.range = move(range)
        for index in words.indices { moved.words[index].range = words[index].range.map(move) }
        return moved
    }
}

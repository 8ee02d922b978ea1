import DictationCore
import Synchronization

/// An engine whose sessions come from a closure.
final class HandEngine: SpeechEngine {
    typealias Make = @Sendable (_ number: Int) async throws(DictationError) -> any RecognitionSession

    let name = "by hand"
    let capabilities: EngineCapabilities
    var supportedLocales: [SpeechLocale] { get async { ["en-US"] } }
    let requests = Count()
    private let make: Make
    private let preparing: @Sendable () async throws(DictationError) -> Void

    init(
        maximumSessions: Int? = nil, preparing: @escaping @Sendable () async throws(DictationError) -> Void = {},
        make: @escaping Make
    ) {
        capabilities = EngineCapabilities(
            Set(EngineCapabilities.Feature.allCases), maximumSessions: maximumSessions)
        self.preparing = preparing
        self.make = make
    }

    func audioFormat(for options: RecognitionOptions) async throws(DictationError) -> AudioFormat { .speech }

    func prepare(
        _ options: RecognitionOptions, progress: @escaping @Sendable (Double) -> Void
    ) async throws(DictationError) { try await preparing() }

    func makeSession(_ options: RecognitionOptions) async throws(DictationError) -> any RecognitionSession {
        try await make(requests.next())
    }
}

/// A recognition session whose behavior closures can replace. By default it reads all input and emits one word for each
/// second of it.
final class HandSession: RecognitionSession {
    struct Behavior: Sendable {
        var start: (@Sendable (HandSession, AudioInput) throws(DictationError) -> Void)?
        var finalize: (@Sendable (HandSession) async throws(DictationError) -> FinalizationOutcome)?
        var finish: (@Sendable (HandSession) async throws(DictationError) -> FinalizationOutcome)?
        var cancel: (@Sendable (HandSession) async -> Void)?
        var take: (@Sendable (HandSession, AudioBuffer) async -> Void)?
        var whenReleased: (@Sendable () -> Void)?
        /// Whether the results end after all input without a call of `finish()`.
        var endsWithInput = true
    }

    let audioFormat: AudioFormat
    let results: RecognitionResults
    let out: RecognitionResults.Continuation
    let cancels = Count()
    let finishes = Count()
    let fed = Held<[Range<Duration>]>([])
    private let behavior: Behavior
    private let runtime = DictationRuntime.current
    private let reading = Held<Task<Void, Never>?>(nil)
    private let words = Count()

    init(_ behavior: Behavior = Behavior(), audioFormat: AudioFormat = .speech) {
        self.behavior = behavior
        self.audioFormat = audioFormat
        (results, out) = RecognitionResults.makeStream()
    }

    deinit {
        reading.value?.cancel()
        out.finish()
        behavior.whenReleased?()
    }

    /// Whether the session was finished or cancelled.
    var wasEnded: Bool { cancels.value + finishes.value > 0 }

    func start(_ input: AudioInput) throws(DictationError) {
        if let start = behavior.start { return try start(self, input) }
        read(input)
    }

    /// Reads all input.
    func read(_ input: AudioInput) {
        reading.value = runtime.task { [weak self] in
            var iterator = input.makeAsyncIterator()
            while let buffer = try? await iterator.next() {
                guard let self else { return }
                fed.change { $0.append(buffer.range) }
                if let take = behavior.take { await take(self, buffer) } else { sayWords(through: buffer.end) }
            }
            if let self, behavior.endsWithInput { out.finish() }
        }
    }

    private func sayWords(through end: Duration) {
        while .seconds(words.value + 1) <= end { say("w\(words.value)", .seconds(words.next())) }
    }

    /// Emits a final result, one second long unless a length is given.
    func say(_ text: String, _ start: Duration, for length: Duration = .seconds(1)) {
        out.yield(.final(SpeechResult(range: start..<start + length, text: text)))
    }

    func finalize(through time: Duration?) async throws(DictationError) -> FinalizationOutcome {
        try await behavior.finalize?(self) ?? .complete
    }

    func finish() async throws(DictationError) -> FinalizationOutcome {
        finishes.next()
        if let finish = behavior.finish { return try await finish(self) }
        await reading.value?.value
        out.finish()
        return .complete
    }

    func cancel() async {
        cancels.next()
        if let cancel = behavior.cancel { return await cancel(self) }
        reading.value?.cancel()
        out.finish()
    }
}

/// The sessions that an engine made.
final class HandSessions: Sendable {
    let made = Held<[HandSession]>([])
    func engine(_ behavior: HandSession.Behavior) -> HandEngine {
        HandEngine { [made] _ in
            let session = HandSession(behavior)
            made.change { $0.append(session) }
            return session
        }
    }
    var areEnded: Bool { made.value.allSatisfy(\.wasEnded) }
}

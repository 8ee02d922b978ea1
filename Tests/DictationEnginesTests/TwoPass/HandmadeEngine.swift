import DictationCore

/// An engine whose sessions break rules: a closure reads the input and sends the results.
final class HandmadeEngine: SpeechEngine {
    typealias Work = @Sendable (_ input: AudioInput, _ out: RecognitionResults.Continuation) async -> Void

    let name = "handmade"
    let capabilities: EngineCapabilities
    var supportedLocales: [SpeechLocale] { get async { ["en-US"] } }
    private let finishes: Bool
    private let work: Work

    /// - Parameters:
    ///   - features: The engine's features.
    ///   - finishes: Whether a session notices that its work is done.
    init(_ features: Set<EngineCapabilities.Feature> = [.dictation], finishes: Bool = true, work: @escaping Work) {
        capabilities = EngineCapabilities(features)
        self.finishes = finishes
        self.work = work
    }

    /// An engine whose results end after a second of audio, and whose sessions wait for more.
    static func endingEarly(_ features: Set<EngineCapabilities.Feature> = [.dictation]) -> HandmadeEngine {
        HandmadeEngine(features, finishes: false) { input, out in
            var iterator = input.makeAsyncIterator()
            while let buffer = try? await iterator.next(), buffer.end < .seconds(1) {}
            out.yield(.final(SpeechResult(range: .zero ..< .seconds(1), text: "It began.")))
            out.finish()
        }
    }

    /// An engine that answers only when its input ends.
    static func answeringAtTheEnd(_ text: String) -> HandmadeEngine {
        HandmadeEngine { input, out in
            var iterator = input.makeAsyncIterator()
            var end: Duration = .zero
            while let buffer = try? await iterator.next() { end = buffer.end }
            out.yield(.final(SpeechResult(range: .zero..<end, text: text)))
            out.finish()
        }
    }

    func audioFormat(for options: RecognitionOptions) async throws(DictationError) -> AudioFormat { .speech }

    func makeSession(_ options: RecognitionOptions) async throws(DictationError) -> any RecognitionSession {
        Session(options.finalizationTimeout, finishes, work)
    }

    final class Session: RecognitionSession {
        let audioFormat = AudioFormat.speech
        let results: RecognitionResults
        private let out: RecognitionResults.Continuation
        private let deadline: Duration
        private let finishes: Bool
        private let work: Work
        private let isDone = Watched(false)
        private let task = Watched<Task<Void, Never>?>(nil)
        private let runtime = DictationRuntime.current

        init(_ deadline: Duration, _ finishes: Bool, _ work: @escaping Work) {
            (results, out) = RecognitionResults.makeStream()
            self.deadline = deadline
            self.finishes = finishes
            self.work = work
        }

        deinit { task.value?.cancel() }

        func start(_ input: AudioInput) throws(DictationError) {
            let begun = runtime.task { [work, out, finishes, isDone] in
                await work(input, out)
                if finishes { isDone.change { $0 = true } }
            }
            task.change { $0 = begun }
        }

        func finalize(through time: Duration?) async throws(DictationError) -> FinalizationOutcome {
            try await finish()
        }

        func finish() async throws(DictationError) -> FinalizationOutcome {
            await runtime.within(deadline) { [isDone] in await isDone.first { $0 ? true : nil } } == nil
                ? .incomplete : .complete
        }

        func cancel() async {
            task.value?.cancel()
            out.finish()
        }
    }
}

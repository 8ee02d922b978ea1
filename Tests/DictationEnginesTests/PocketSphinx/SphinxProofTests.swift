#if PocketSphinx
import DictationCore
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import DictationEngines

/// What the engine has to show, in numbers. Every day a part of it; all of it with `Scripts/prove pocketsphinx`, which
/// sets DICTATION_SPHINX_PROOF. What is said about memory is measured in a process of its own.
@Suite(.serialized) struct SphinxProofTests {
    static let isWhole = ProcessInfo.processInfo.environment["DICTATION_SPHINX_PROOF"] != nil

    // MARK: Decoders

    /// Ten at a time, of which eight are kept: what is loaded again each time has to be given back, 90 MB apiece.
    @Test(.ownThread) func decodersThatAreNotKeptAreFreed() async {
        let child = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            var sizes: [Int] = []
            for _ in 0..<2 {
                let gate = Watched(false)
                var sessions: [any RecognitionSession] = []
                for _ in 0..<10 {
                    let session = try await Sphinx.engine.makeSession(Sphinx.options())
                    try session.start(AudioInput(buffers(quiet(1)), waitingAt: .milliseconds(500), for: gate))
                    _ = try await session.finalize(through: .milliseconds(200))
                    sessions.append(session)
                }
                gate.change { $0 = true }
                for session in sessions { _ = try await session.finish() }
                sessions = []
                sizes.append(residentKilobytes())
            }
            print("kB: \(sizes[0]) after ten decoders, \(sizes[1]) after ten again")
            #expect(sizes[1] - sizes[0] < 90_000)
        }
        show(child)
    }

    // MARK: Latency

    /// Sentences without the pauses between them, about ten seconds each.
    private static let utterances: [[Speech]] = [
        [.dashwood, .ill], [.unless, .married], [.married, .ill, .himself], [.dashwood, .himself],
        [.ill, .unless, .ill], [.unless, .unless], [.himself, .dashwood], [.ill, .dashwood], [.married, .unless],
        [.himself, .unless, .ill],
    ]

    /// What is measured is the work that is left when the last of the speech is handed out: unlike the time that it
    /// takes it does not hang on what else the machine does. At real time: `Scripts/prove pocketsphinx`.
    @Test(.ownThread, arguments: [true, false], [RecognitionOptions.Priority.balanced, .accuracy])
    func littleIsLeftToDoAfterTenSecondsOfSpeech(
        endsWithAPause: Bool, priority: RecognitionOptions.Priority
    ) async {
        let child = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            [endsWithAPause, priority] in
            try await SphinxProofTests.measureLateness(endsWithAPause, priority)
        }
        show(child)
    }

    private static func measureLateness(
        _ endsWithAPause: Bool, _ priority: RecognitionOptions.Priority
    ) async throws {
        var options = RecognitionOptions.liveDictation()
        options.priority = priority
        try await Sphinx.engine.prepare(options)
        var late: [Int] = []
        for parts in isWhole ? utterances : [utterances[0]] {
            let speech = try parts.flatMap { try $0.loudSamples() }
            #expect(speech.count > 8 * 16_000)
            // Either a pause ends the utterance, or the end of the input.
            let speechBuffers = buffers(speech, of: 320)
            let end = try #require(speechBuffers.last).end
            let lateness = try await Sphinx.engine.lateness(
                of: speechBuffers, then: endsWithAPause ? buffers(quiet(1.5), of: 320, at: end) : [],
                isPaced: isWhole, options)
            late.append(Int((lateness.last * 1_000).rounded()))
        }
        late.sort()
        let (half, most) = (late[(late.count - 1) / 2], late[(late.count * 19 - 1) / 20])
        print(
            "\(priority): final \(isWhole ? "" : "in processor time ")after \(late.count) utterances of about 10 s that "
                + "\(endsWithAPause ? "a pause" : "the end of the input") ends: p50 \(half) ms, p95 \(most) ms, \(late)"
        )
        // `accuracy` also searches the lattice. Every day a machine may be half as fast, and no utterance's decoding,
        // which takes it four seconds and more, may be left.
        let limit = priority == .accuracy ? 1_000 : 700
        #expect(most <= (isWhole ? limit : 2 * limit))
    }

    // MARK: Memory

    @Test(.ownThread, arguments: ["live", "file"]) func anHourOfSpeechTakesNoMoreMemoryThanMinutes(
        way: String
    ) async {
        let child = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) { [way] in
            try await SphinxProofTests.listen(way)
        }
        show(child)
    }

    private static func listen(_ way: String) async throws {
        let seconds = isWhole ? 3_600 : 40
        let speech = try Speech.all.flatMap { try $0.samples() + quiet(1) }
        let sizes = Mutex<[Int]>([])
        let input = AudioInput {
            var frames = 0
            return { () throws(DictationError) in
                guard frames < seconds * 16_000 else { return nil }
                if frames % (seconds * 800) == 0 { sizes.withLock { $0.append(residentKilobytes()) } }
                let part = (0..<1_600).map { speech[(frames + $0) % speech.count] }
                let start = AudioFormat.speech.duration(ofFrames: Int64(frames))
                frames += 1_600
                return AudioBuffer(part, start: start)
            }
        }
        let words = Mutex(0)
        let options = Sphinx.options {
            $0.priority = .speed
            $0.volatileResults = way == "live"
        }
        let count: @Sendable (SpeechUpdate) -> Void = { update in
            guard let result = update.finalResult else { return }
            words.withLock { $0 += result.text.split(separator: " ").count }
        }
        func recognise(_ input: AudioInput, _ count: @escaping @Sendable (SpeechUpdate) -> Void) async throws {
            if way == "live" {
                let session = try await Sphinx.engine.makeSession(options)
                try session.start(input)
                for try await update in session.results { count(update) }
            } else {
                try await Sphinx.engine.transcribe(input, options: options, workers: 2, into: ResultSink(count))
            }
        }
        // Every decoder is loaded and has its tables before anything is measured.
        try await recognise(AudioInput(buffers(Array(speech.prefix(25 * 16_000))))) { _ in }
        try await recognise(input, count)
        let found = sizes.withLock { $0 }
        print("\(way), \(seconds) s, \(words.withLock { $0 }) words, kB at each twentieth: \(found)")
        #expect(words.withLock { $0 } > seconds / 2)
        // The decoders' tables reach their size within the first minutes.
        let settled = found[isWhole ? 4 : 10]
        #expect(residentKilobytes() - settled < (isWhole ? 8_000 : 16_000))
    }

    /// Contextual strings bring a language model of their own, interpolated with a decoder's own copy of the large one.
    @Test(.ownThread, arguments: [[], ["go forward"]])
    func memoryReturnsWhenTheModelIsUnloaded(contextualStrings: [String]) async {
        let child = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            [contextualStrings] in
            try await SphinxProofTests.loadAndUnload(
                Sphinx.options {
                    $0.contextualStrings = contextualStrings.map { RecognitionOptions.ContextualString($0) }
                })
        }
        show(child)
    }

    private static func loadAndUnload(_ options: RecognitionOptions) async throws {
        let audio = buffers(try Speech.goForward.samples())
        func use(_ engine: PocketSphinxEngine) async throws -> Int {
            #expect(try await engine.text(audio, options) == Speech.goForward.text)
            return residentKilobytes()
        }
        /// Freed and given back a moment after the engine says that it holds none.
        func unloaded(below limit: Int) async throws -> Int {
            let engine = PocketSphinxEngine(
                models: [try Sphinx.model()], retention: .lingering(.milliseconds(300)))
            _ = try await use(engine)
            let end = ContinuousClock.now + .seconds(60)
            while engine.holdsModels || residentKilobytes() > limit, ContinuousClock.now < end {
                await Task.yield()
            }
            #expect(!engine.holdsModels)
            return residentKilobytes()
        }
        let kept = try await use(PocketSphinxEngine(models: [try Sphinx.model()], retention: .processLifetime))
        // What a process needs once is no leak.
        let first = try await unloaded(below: kept - 60_000)
        var last = first
        for _ in 0..<(isWhole ? 20 : 3) { last = try await unloaded(below: first + 9_000) }
        print("kB: \(kept) loaded, \(first) unloaded, \(last) unloaded again and again")
        #expect(kept - first >= 60_000)
        #expect(last - first < 10_000)
    }

    // MARK: Sessions

    @Test(.ownThread) func aThousandSessionsLeaveNothingBehind() async {
        let child = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            try await SphinxProofTests.manySessions()
        }
        show(child)
    }

    private static func manySessions() async throws {
        let audio = buffers(try Speech.cards[0].samples())
        let engine = PocketSphinxEngine(models: [try Sphinx.model()], retention: .processLifetime)
        let live = Sphinx.options { $0.volatileResults = true }
        let kinds = [
            live, live, live, live, Sphinx.options(),
            Sphinx.options {
                $0.task = .grammar(RecognitionTask.Grammar(jsgf: "public <c> = (ten | two) of (clubs | hearts);"))
            },
            Sphinx.options { $0.task = .keyphrases([RecognitionTask.Keyphrase("clubs", sensitivity: 0.8)]) },
        ]
        var expected: [String] = []
        for options in kinds { expected.append(try await engine.text(audio, options)) }
        let count = isWhole ? 1_000 : 16
        var sizes: [Int] = []
        for _ in 0..<(count / 8) {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (options, text) in zip(kinds, expected) {
                    group.addTask {
                        let heard = try await engine.text(audio, options)
                        #expect(heard == text)
                    }
                }
                group.addTask {
                    // Given up in the middle of a word.
                    let session = try await engine.makeSession(live)
                    try session.start(AudioInput(audio))
                    for try await update in session.results where update.result != nil { break }
                    await session.cancel()
                }
                try await group.waitForAll()
            }
            sizes.append(residentKilobytes())
        }
        print(
            "\(count) sessions, 8 at a time, heard \(expected), kB: \(sizes[0]) after 8, "
                + "\(sizes[sizes.count / 2]) after half, \(sizes.last ?? 0) at the end")
        #expect((sizes.last ?? .max) - sizes[sizes.count / 2] < (isWhole ? 8_000 : 200_000))
    }
}
#endif

#if PocketSphinx
    import DictationCore
    import DictationEngines
    import Foundation
    import Synchronization
    import Testing

    /// What the engine has to show, in numbers. Every day a part of it; all of it with `Scripts/prove-pocketsphinx`, which
    /// sets DICTATION_SPHINX_PROOF. What is said about memory is measured in a process of its own.
    @Suite(.serialized) struct SphinxProofTests {
        static let isWhole = ProcessInfo.processInfo.environment["DICTATION_SPHINX_PROOF"] != nil

        // MARK: Latency

        /// Sentences without the pauses between them, about ten seconds each.
        private static let utterances: [[Speech]] = [
            [.dashwood, .ill], [.unless, .married], [.married, .ill], [.dashwood, .himself], [.ill, .himself, .ill],
            [.unless, .unless], [.himself, .dashwood], [.ill, .dashwood], [.married, .himself], [.himself, .unless],
        ]

        @Test(arguments: [true, false]) func finalsComeSoonAfterTenSecondsOfSpeech(speechGoesOn: Bool) async throws {
            try await Sphinx.engine.prepare(.liveDictation())
            var late: [Double] = []
            var lengths: [Double] = []
            for parts in Self.isWhole ? Self.utterances : [Self.utterances[speechGoesOn ? 0 : 1]] {
                let speech = try parts.flatMap { try $0.loudSamples() }
                // Either a pause ends the utterance, or the end of the input.
                let measured = try await atRealTime(speechGoesOn ? speech + quiet(1.5) : speech)
                late.append(measured.final - Double(speech.count) / 16_000)
                lengths.append(Double(speech.count) / 16_000)
            }
            late.sort()
            let milliseconds = late.map { Int(($0 * 1_000).rounded()) }
            print(
                "finals after \(lengths.min() ?? 0) to \(lengths.max() ?? 0) s of speech, ended by "
                    + "\(speechGoesOn ? "a pause" : "the end of the input"): p50 \(milliseconds[(late.count - 1) / 2]) ms, "
                    + "p95 \(milliseconds[(late.count * 19 - 1) / 20]) ms, all \(milliseconds)")
            // On every day other tests have the cores.
            #expect(late[(late.count * 19 - 1) / 20] <= (Self.isWhole ? 0.7 : 10))
        }

        /// When the last final of some audio came, in seconds after its beginning.
        private func atRealTime(_ samples: [Int16]) async throws -> (final: Double, text: String) {
            let runtime = DictationRuntime.system
            let session = try await Sphinx.engine.makeSession(.liveDictation())
            let buffers = buffers(samples, of: 320)
            let start = runtime.now()
            try session.start(
                AudioInput {
                    var left = buffers[...]
                    return { () throws(DictationError) in
                        guard let buffer = left.popFirst() else { return nil }
                        try? await runtime.sleep(max(.zero, start + buffer.end - runtime.now()))
                        return buffer
                    }
                })
            var final: Duration?
            var text = ""
            for try await result in session.results where result.isFinal && !result.text.isEmpty {
                final = runtime.now() - start
                text += result.text + " "
            }
            return (try #require(final) / .seconds(1), text)
        }

        // MARK: Memory

        @Test(arguments: ["live", "file"]) func anHourOfSpeechTakesNoMoreMemoryThanMinutes(way: String) async {
            await #expect(processExitsWith: .success) { [way] in
                try await SphinxProofTests.listen(way)
            }
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
            let count: @Sendable (SpeechResult) -> Void = { result in
                guard result.isFinal else { return }
                words.withLock { $0 += result.text.split(separator: " ").count }
            }
            if way == "live" {
                let session = try await Sphinx.engine.makeSession(options)
                try session.start(input)
                for try await result in session.results { count(result) }
            } else {
                try await Sphinx.engine.transcribe(input, options: options, workers: 2, into: ResultSink(count))
            }
            let found = sizes.withLock { $0 }
            print("\(way), \(seconds) s, \(words.withLock { $0 }) words, kB at each twentieth: \(found)")
            #expect(words.withLock { $0 } > seconds / 2)
            // The decoders' tables reach their size within the first minutes.
            let settled = found[isWhole ? 4 : 10]
            #expect(residentKilobytes() - settled < (isWhole ? 8_000 : 16_000))
        }

        @Test func memoryReturnsWhenTheModelIsUnloaded() async {
            await #expect(processExitsWith: .success) {
                try await SphinxProofTests.loadAndUnload()
            }
        }

        private static func loadAndUnload() async throws {
            let audio = buffers(try Speech.goForward.samples())
            func use(_ engine: PocketSphinxEngine) async throws -> Int {
                #expect(try await engine.text(audio, Sphinx.options()) == Speech.goForward.text)
                return residentKilobytes()
            }
            func unloaded() async throws -> Int {
                let engine = PocketSphinxEngine(
                    models: [try Sphinx.model()], retention: .lingering(.milliseconds(300)))
                let loaded = try await use(engine)
                // Freed and given back a moment after the engine says that it holds none.
                let end = ContinuousClock.now + .seconds(60)
                while engine.holdsModels || residentKilobytes() > loaded - 30_000, ContinuousClock.now < end {
                    await Task.yield()
                }
                #expect(!engine.holdsModels)
                return residentKilobytes()
            }
            // What a process needs once is no leak.
            let first = try await unloaded()
            let kept = try await use(
                PocketSphinxEngine(models: [try Sphinx.model()], retention: .processLifetime))
            var last = first
            for _ in 0..<(isWhole ? 20 : 3) { last = try await unloaded() }
            print("kB: \(first) unloaded, \(kept) loaded, \(last) unloaded again and again")
            #expect(kept - first > 30_000)
            #expect(last - first < 10_000)
        }

        // MARK: Sessions

        @Test func aThousandSessionsLeaveNothingBehind() async {
            await #expect(processExitsWith: .success) {
                try await SphinxProofTests.manySessions()
            }
        }

        private static func manySessions() async throws {
            let audio = buffers(try Speech.cards[0].samples())
            let engine = PocketSphinxEngine(models: [try Sphinx.model()], retention: .processLifetime)
            let live = Sphinx.options { $0.volatileResults = true }
            let kinds = [
                live, live, live, live, Sphinx.options(),
                Sphinx.options {
                    $0.task = .grammar(Grammar(jsgf: "public <c> = (ten | two) of (clubs | hearts);"))
                },
                Sphinx.options { $0.task = .keyphrases([Keyphrase("clubs", sensitivity: 0.8)]) },
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
                        for try await result in session.results where !result.text.isEmpty { break }
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

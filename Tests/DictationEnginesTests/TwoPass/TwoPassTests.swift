import DictationCore
import DictationEngines
import DictationTesting
import Testing

/// A quick engine that recognizes four words in each two seconds.
private func quick(_ features: Set<EngineCapabilities.Feature> = ScriptedEngine.scriptedFeatures) -> ScriptedEngine {
    ScriptedEngine(.counting, name: "quick", capabilities: EngineCapabilities(features))
}

private func thorough(
    _ texts: String?..., features: Set<EngineCapabilities.Feature> = [.dictation]
) -> ScriptedEngine {
    ScriptedEngine(
        sessions: texts.map { text in text.map { [.final($0)] } ?? [] }, name: "thorough",
        capabilities: EngineCapabilities(features))
}

private func seconds(_ count: Int) -> [AudioBuffer] {
    (0..<(count * 10)).map { AudioBuffer(silence: 1_600, format: .speech, start: .milliseconds(100 * $0)) }
}

/// The final results of some seconds of audio.
private func finals(
    _ engine: any SpeechEngine, _ options: RecognitionOptions = .liveDictation(), seconds count: Int = 2
) async throws -> [SpeechResult] {
    try await engine.results(seconds(count), options).finals
}

private let runaway = Array(repeating: "Please call Stella.", count: 6).joined(separator: " ")

@Suite struct TwoPassTests {
    @Test func volatileTextIsQuickAndFinalTextIsThorough() async throws {
        let engine = TwoPassEngine(quick: quick(), thorough: thorough("One, two, three, four."))
        let seen = try await VirtualTime.run { _ in try await engine.results(seconds(2), .liveDictation()) }
        #expect(seen.volatiles.last?.text == "one two three four")
        #expect(seen.finals.map(\.text) == ["One, two, three, four."])
        #expect(seen.finals.allSatisfy { $0.isComplete })
    }

    @Test func eachUtteranceOfTheQuickEngineIsDecodedByItself() async throws {
        try await VirtualTime.run { _ in
            let second = thorough("One.", "Two.", "Three.")
            let texts = try await finals(TwoPassEngine(quick: quick(), thorough: second), seconds: 6)
            #expect(texts.map(\.text) == ["One.", "Two.", "Three."])
            #expect(texts.map(\.range.lowerBound) == [.zero, .seconds(2), .seconds(4)])
            #expect(texts.last?.range.upperBound == .seconds(6))
            #expect(second.sessions.map(\.framesFed) == [32_000, 32_000, 32_000, 0])
        }
    }

    @Test func wordsHaveTheQuickEnginesTimesAndAreCertainWhereItAgrees() async throws {
        let said = ["one", "two", "tree", "four"].enumerated().map { index, word in
            SpeechResult.Word(
                word, range: .milliseconds(100 + 450 * index)..<(.milliseconds(450 + 450 * index)),
                confidence: 0.2 * Double(index + 1))
        }
        let first = ScriptedEngine([.final("one two tree four", at: .seconds(2), words: said)])
        let engine = TwoPassEngine(quick: first, thorough: thorough("One, 2, three, and four."))
        var options = RecognitionOptions.liveDictation()
        options.wordTimes = true
        options.wordConfidence = true
        let words = try await VirtualTime.run { [options] _ in try await finals(engine, options) }.flatMap(\.words)
        try #require(words.map(\.text) == ["One,", "2,", "three,", "and", "four."])
        #expect(words[0] == SpeechResult.Word("One,", range: said[0].range, confidence: 1))
        // "2" has no partner, but the quick engine heard a word in its place.
        #expect(words[1] == SpeechResult.Word("2,", range: said[1].range))
        #expect(words[2] == SpeechResult.Word("three,", range: said[2].range))
        #expect(words[3] == SpeechResult.Word("and", range: .milliseconds(1_350)..<(.milliseconds(1_450))))
        #expect(words[4] == SpeechResult.Word("four.", range: said[3].range, confidence: 1))
    }

    @Test(arguments: [runaway, nil, ""]) func textThatCantBeTrueIsDecodedAgain(first: String?) async throws {
        try await VirtualTime.run { _ in
            let second = thorough(first, "One, two, three, four.")
            let texts = try await finals(TwoPassEngine(quick: quick(), thorough: second))
            #expect(texts.map(\.text) == ["One, two, three, four."])
            #expect(texts.allSatisfy { $0.isComplete && !$0.isDoubtful })
            let fed = second.sessions.map(\.framesFed)
            #expect(fed[1] > fed[0], "the second time there is more silence around the speech")
        }
    }

    @Test func anEngineThatIsStuckIsNotAskedForLong() async throws {
        try await VirtualTime.run { _ in
            let second = ScriptedEngine(
                [.final("Never."), .neverFinishes()], capabilities: EngineCapabilities([.dictation]))
            var options = RecognitionOptions.liveDictation()
            options.finalizationTimeout = .seconds(5)
            let runtime = DictationRuntime.current
            let start = runtime.now()
            let session = try await TwoPassEngine(quick: quick(), thorough: second).makeSession(options)
            try session.start(AudioInput(seconds(20)))
            var texts: [SpeechResult] = []
            for try await update in session.results { if let result = update.finalResult { texts.append(result) } }
            #expect(texts.count == 10 && texts.allSatisfy { $0.isDoubtful })
            #expect(second.sessions.count { $0.framesFed > 0 } == 3)
            #expect(runtime.now() - start <= .seconds(16))
        }
    }

    @Test(arguments: [runaway, nil]) func textThatIsStillNotTrueGivesWayToTheQuickEngines(said: String?) async throws {
        let engine = TwoPassEngine(quick: quick(), thorough: thorough(said))
        let texts = try await VirtualTime.run { _ in try await finals(engine) }
        #expect(texts.map(\.text) == ["one two three four"])
        #expect(texts.map(\.isDoubtful) == [true])
        #expect(texts.allSatisfy { $0.isComplete }, "nothing is missing")
    }

    @Test func aRecordingIsCutByTheThoroughEngine() async throws {
        try await VirtualTime.run { _ in
            let (first, second) = (quick(), thorough("It was a long sentence."))
            let engine = TwoPassEngine(quick: first, thorough: second)
            let texts = try await finals(engine, .fileTranscription(), seconds: 20)
            #expect(texts.map(\.text) == ["It was a long sentence."])
            #expect(first.sessions.isEmpty, "nothing needs the quick engine")
            let timed = try await finals(engine, .timedTranscription(), seconds: 20)
            #expect(timed.flatMap(\.words).count == 5)
            #expect(timed.flatMap(\.words).allSatisfy { $0.range != nil })
            #expect(first.sessions.count == 1)
        }
    }

    @Test func aRunawayTextInARecordingGivesWayToo() async throws {
        let engine = TwoPassEngine(
            quick: ScriptedEngine([.final("please call stella")]), thorough: thorough(runaway))
        let texts = try await VirtualTime.run { _ in try await finals(engine, .fileTranscription(), seconds: 2) }
        #expect(texts.map(\.text) == ["please call stella"])
        #expect(texts.map(\.isDoubtful) == [true])
        #expect(texts.allSatisfy { $0.isComplete }, "nothing is missing")
    }

    /// Sixteen seconds in which someone says the same four words eight times.
    @Test(arguments: [RecognitionOptions.liveDictation(), .fileTranscription()], ["one too three four", "one"])
    func aPhraseThatIsSaidOftenKeepsTheThoroughEnginesText(_ options: RecognitionOptions, _ heard: String) async throws
    {
        try await VirtualTime.run { _ in
            let written = Array(repeating: "One, two, three, four.", count: 8).joined(separator: " ")
            let said = Array(repeating: heard, count: 8).joined(separator: " ")
            let first = ScriptedEngine([.final(said, at: .seconds(16))])
            let second = ScriptedEngine([.final(written, at: .seconds(16))])
            let texts = try await finals(TwoPassEngine(quick: first, thorough: second), options, seconds: 16)
            // A quarter of the words is no sign of eight sentences.
            let isTrue = heard != "one"
            #expect(texts.map(\.text) == [isTrue ? written : said])
            #expect(texts.map(\.isDoubtful) == [!isTrue])
        }
    }

    @Test func aDoubtfulTextIsBetterThanNone() async throws {
        let texts = try await VirtualTime.run { _ in
            let engine = TwoPassEngine(quick: ScriptedEngine([.neverFinishes()]), thorough: thorough(runaway))
            var options = RecognitionOptions.fileTranscription()
            options.finalizationTimeout = .seconds(5)
            let session = try await engine.makeSession(options)
            try session.start(AudioInput(seconds(2)))
            var found: [SpeechResult] = []
            for try await update in session.results { if let result = update.finalResult { found.append(result) } }
            return found
        }
        #expect(texts.map(\.text) == [runaway])
        #expect(texts.map(\.isDoubtful) == [true])
        #expect(texts.allSatisfy { $0.isComplete }, "nothing is missing")
    }

    @Test func aLongResultOfARecordingIsReviewedAsAWhole() async throws {
        try await VirtualTime.run { _ in
            let first = ScriptedEngine([.final("it was long")])
            let second = ScriptedEngine([.final("It was long.", at: .seconds(590))])
            let words = try await finals(
                TwoPassEngine(quick: first, thorough: second), .timedTranscription(), seconds: 600
            ).flatMap(\.words)
            #expect(words.count == 3)
            #expect(first.sessions.map(\.framesFed) == [590 * 16_000])
        }
    }

    @Test func theWordsOfAResultLieInItsRange() async throws {
        let second = ScriptedEngine([.final("One.", from: .milliseconds(500), at: .seconds(2))])
        let engine = TwoPassEngine(quick: ScriptedEngine([.final("one")]), thorough: second)
        let result = try await VirtualTime.run { _ in try await finals(engine, .timedTranscription()) }.first
        #expect(result?.words.first?.range?.lowerBound == .milliseconds(300))
        #expect(result?.range.lowerBound == .milliseconds(300))
    }

    @Test(arguments: [1, 2, 4]) func theTextIsTheSameForAnyNumberOfJobs(_ workers: Int) async throws {
        for options in [RecognitionOptions.fileTranscription(), .timedTranscription()] {
            try await VirtualTime.run { _ in
                let engine = TwoPassEngine(quick: ScriptedEngine([.final("one two")]), thorough: quick())
                let expected = try await finals(engine, options, seconds: 9)
                let found = Watched<[SpeechResult]>([])
                try await engine.transcribe(
                    AudioInput(seconds(9)), options: options, workers: workers,
                    into: ResultSink { update in
                        found.change { if let result = update.finalResult { $0.append(result) } }
                    })
                #expect(found.value == expected)
                #expect(expected.count == 5)
            }
        }
    }

    @Test func aStuckThoroughEngineLeavesTheQuickEnginesText() async throws {
        let texts = try await VirtualTime.run { _ in
            let engine = TwoPassEngine(
                quick: quick(), thorough: ScriptedEngine([.final("late"), .neverFinishes()]))
            var options = RecognitionOptions.liveDictation()
            options.finalizationTimeout = .seconds(5)
            return try await finals(engine, options)
        }
        #expect(texts.map(\.text) == ["one two three four"])
        #expect(texts.map(\.isDoubtful) == [true])
        #expect(texts.allSatisfy { $0.isComplete }, "nothing is missing")
    }

    @Test func aSlowThoroughEngineBoundsWhatWaitsAndLosesNothing() async throws {
        try await VirtualTime.run { clock in
            let first = quick()
            let engine = TwoPassEngine(
                quick: first, thorough: ScriptedEngine([.final("Text."), .slowFinish(.seconds(5))]))
            let session = try await engine.makeSession(.liveDictation())
            try session.start(AudioInput(seconds(600)))
            await clock.advance(by: .seconds(4))
            #expect(first.framesFed <= 16_000 * 70)
            #expect(first.framesFed >= 16_000 * 50)
            var iterator = session.results.makeAsyncIterator()
            var texts = 0
            while let update = try await iterator.next() { if update.finalResult != nil { texts += 1 } }
            #expect(texts == 300)
        }
    }

    @Test(arguments: 1...20) func aSessionThatEndsTakesItsEnginesSessionsAlong(seed: UInt64) async throws {
        try await VirtualTime.run(seed: seed) { clock in
            let (first, second) = (quick(), ScriptedEngine([.final("Text."), .slowFinish(.milliseconds(300))]))
            let engine = TwoPassEngine(quick: first, thorough: second)
            var random = SplitMix64(seed: seed)
            for isLive in [true, false] {
                var options = RecognitionOptions()
                options.volatileResults = isLive
                var session: (any RecognitionSession)? = try await engine.makeSession(options)
                let rest = Duration.milliseconds(Int.random(in: 1...900, using: &random))
                let slow = AudioInput {
                    var next = seconds(6).makeIterator()
                    return { () async throws(DictationError) in
                        try? await DictationRuntime.current.sleep(.milliseconds(20))
                        return next.next()
                    }
                }
                try session?.start(slow)
                await clock.advance(by: rest)
                switch seed % 3 {
                case 0: await session?.cancel()
                case 1: _ = try await session?.finish()
                default: break
                }
                session = nil
                await clock.advance(by: .seconds(30))
                #expect(first.openSessions == 0)
                #expect(second.openSessions == 0)
            }
        }
    }

    @Test func optionsGoToTheEngineThatSupportsThem() async throws {
        try await VirtualTime.run { _ in
            let first = quick(ScriptedEngine.scriptedFeatures.union([.contextualStrings]))
            let second = thorough("One.", features: [.dictation, .alternatives, .contextualStrings])
            let engine = TwoPassEngine(quick: first, thorough: second)
            var options = RecognitionOptions.liveDictation()
            options.contextualStrings = ["Stella"]
            options.maximumAlternatives = 2
            options.wordConfidence = true
            _ = try await finals(engine, options)
            let asked = try #require(first.sessions.first?.options)
            #expect(asked.contextualStrings == ["Stella"])
            #expect(asked.maximumAlternatives == 0)
            #expect(asked.wordConfidence && asked.wordTimes && asked.volatileResults)
            let other = try #require(second.sessions.first?.options)
            #expect(other.contextualStrings == ["Stella"])
            #expect(other.maximumAlternatives == 2)
            #expect(!other.wordConfidence && !other.wordTimes && !other.volatileResults)
        }
    }

    /// Contextual strings that only the quick engine knew would make no difference to the final text.
    @Test(arguments: [[], [.contextualStrings]] as [Set<EngineCapabilities.Feature>])
    func anOptionThatDoesNotReachTheFinalTextThrows(features: Set<EngineCapabilities.Feature>) async throws {
        let engine = TwoPassEngine(
            quick: quick(ScriptedEngine.scriptedFeatures.union(features)), thorough: thorough("One."))
        let options = RecognitionOptions(contextualStrings: ["Stella"])
        let error = await #expect(throws: DictationError.self) { try await engine.makeSession(options) }
        #expect(error?.code == .unsupportedOption)
        #expect(!engine.capabilities.features.contains(.alternatives), "the quick engine's would not fit the text")
    }

    @Test func bothEnginesMustSupportTheLocale() async throws {
        let engine = TwoPassEngine(
            quick: ScriptedEngine(.counting, locales: ["en-US", "de"]),
            thorough: ScriptedEngine(.counting, locales: ["en-GB", "de"]))
        #expect(await engine.supportedLocales == ["de"])
        let error = await #expect(throws: DictationError.self) { try await engine.makeSession(.liveDictation("en-US")) }
        #expect(error?.code == .unsupportedLocale)
    }

    @Test func otherTasksAreTheWorkOfOneEngine() async throws {
        try await VirtualTime.run { _ in
            let first = quick(ScriptedEngine.scriptedFeatures.union([.keyphrases]))
            let second = thorough("One.")
            var options = RecognitionOptions.wakeWords(["one"])
            options.volatileResults = true
            let texts = try await finals(TwoPassEngine(quick: first, thorough: second), options)
            #expect(texts.map(\.text) == ["one two three four"])
            #expect(second.sessions.isEmpty)
        }
    }

    @Test func bothModelsLoadAtTheSameTime() async throws {
        try await VirtualTime.run { _ in
            let engine = TwoPassEngine(
                quick: ScriptedEngine([.slowStart(.seconds(2))]), thorough: ScriptedEngine([.slowStart(.seconds(3))]))
            let runtime = DictationRuntime.current
            let start = runtime.now()
            let parts = Watched<[Double]>([])
            try await engine.prepare(.liveDictation()) { part in parts.change { $0.append(part) } }
            #expect(runtime.now() - start == .seconds(3))
            #expect(parts.value == parts.value.sorted())
            #expect(parts.value.last == 1)
        }
    }

    @Test func theFormatsOfTheEnginesMayDiffer() async throws {
        let float = AudioFormat(sampleRate: 16_000, sampleType: .float32)
        let engine = TwoPassEngine(quick: quick(), thorough: ScriptedEngine([.final("One.")], audioFormat: float))
        let texts = try await VirtualTime.run { _ in try await finals(engine) }
        #expect(texts.map(\.text) == ["One."])
        let rates = TwoPassEngine(
            quick: quick(), thorough: ScriptedEngine(audioFormat: AudioFormat(sampleRate: 8_000)))
        let error = await #expect(throws: DictationError.self) { try await rates.makeSession(.liveDictation()) }
        #expect(error?.code == .unsupportedFormat)
    }
}

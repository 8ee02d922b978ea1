import DictationCore
import DictationEngines
import DictationTesting
import Testing

/// Sentences that go on where the quick engine had to end an utterance inside speech.
@Suite struct SentenceOverCutsTests {
    /// A quick engine that cuts speech at four seconds.
    private func quick(_ first: String, _ rest: String, words: [SpeechResult.Word] = []) -> ScriptedEngine {
        ScriptedEngine([
            .final(
                first, at: .seconds(4), words: words.filter { $0.range?.upperBound ?? .zero <= .seconds(4) },
                endsInSpeech: true),
            .volatile(rest, at: .seconds(5)),
            .final(rest, at: .seconds(6), words: words.filter { $0.range?.upperBound ?? .zero > .seconds(4) }),
        ])
    }

    private func thorough(_ texts: String?...) -> ScriptedEngine {
        ScriptedEngine(
            sessions: texts.map { $0.map { [.final($0)] } ?? [.neverFinishes()] },
            capabilities: EngineCapabilities([.dictation]))
    }

    private func seconds(_ count: Int) -> [AudioBuffer] {
        (0..<(count * 10)).map { AudioBuffer(silence: 1_600, format: .speech, start: .milliseconds(100 * $0)) }
    }

    private func results(
        _ engine: any SpeechEngine, _ change: (inout RecognitionOptions) -> Void = { _ in }
    ) async throws -> [SpeechUpdate] {
        var options = RecognitionOptions.liveDictation()
        change(&options)
        return try await VirtualTime.run { [options] _ in try await engine.results(seconds(7), options) }
    }

    private static let book = ("it was printed in the book", "which was lost")

    @Test func aSentenceHasNoFullStopAtTheCut() async throws {
        let second = thorough("It was printed in the book.", "In the book, which was lost.")
        let engine = TwoPassEngine(quick: quick(Self.book.0, Self.book.1), thorough: second)
        let seen = try await results(engine)
        #expect(seen.finals.map(\.text) == ["It was printed in the book, which was lost."])
        #expect(seen.finals.map(\.range) == [.zero..<(.seconds(6))])
        #expect(seen.volatiles.contains { $0.text == "It was printed in the book." }, "it is shown while it waits")
        let fed = second.sessions.map(\.framesFed)
        #expect(fed[0] == 64_000)
        #expect((32_000 + 24_000...32_000 + 40_000).contains(fed[1]), "the last words before the cut are decoded again")
    }

    @Test func aSentenceWithoutCommonWordsHasNoCapitalAtTheCut() async throws {
        let engine = TwoPassEngine(
            quick: quick("he went to", "the store"), thorough: thorough("He went to the.", "Store, and came back."))
        #expect(try await results(engine).finals.map(\.text) == ["He went to the store, and came back."])
    }

    @Test func wholeSentencesBeforeTheCutAreFinalBeforeTheRest() async throws {
        let engine = TwoPassEngine(
            quick: quick("it is late i went to the old", "house it was empty"),
            thorough: thorough("It is late. I went to the old.", "To the old house. It was empty."))
        #expect(
            try await results(engine).finals.map(\.text) == ["It is late. I went to the old house. It was empty."])
        let long = TwoPassEngine(
            quick: ScriptedEngine([
                .final("it is late i went to the old", at: .seconds(3), endsInSpeech: true),
                .final("house that i", at: .seconds(5), endsInSpeech: true), .final("knew", at: .seconds(6)),
            ]),
            thorough: thorough(
                "It is late. I went to the old.", "To the old house that I.", "House that I knew."))
        let finals = try await results(long).finals
        #expect(finals.map(\.text) == ["It is late.", "I went to the old house that I knew."])
        #expect(finals.first?.range.upperBound == finals.last?.range.lowerBound)
    }

    @Test func wordsKeepTheirTimesOverTheCut() async throws {
        let said = "it was printed in the book which was lost".split(separator: " ").enumerated().map { index, word in
            let start = index < 6 ? 600 * index + 100 : 4_000 + 600 * (index - 6) + 100
            return SpeechResult.Word(
                String(word), range: .milliseconds(start)..<(.milliseconds(start + 400)), confidence: 0.5)
        }
        let engine = TwoPassEngine(
            quick: quick(Self.book.0, Self.book.1, words: said),
            thorough: thorough("It was printed in the book.", "In the book, which was lost."))
        let finals = try await results(engine) {
            $0.wordTimes = true
            $0.wordConfidence = true
        }.finals
        let words = finals.flatMap(\.words)
        #expect(words.map(\.text).joined(separator: " ") == "It was printed in the book, which was lost.")
        #expect(words.map(\.range) == said.map(\.range))
        #expect(words.allSatisfy { $0.confidence == 1 })
    }

    @Test(arguments: [nil, ""]) func theQuickEnginesTextIsJoinedToo(second: String?) async throws {
        let engine = TwoPassEngine(
            quick: quick(Self.book.0, Self.book.1), thorough: thorough("It was printed in the book.", second))
        let finals = try await results(engine) { $0.finalizationTimeout = .seconds(5) }.finals
        #expect(finals.map(\.text) == ["It was printed in the book which was lost"])
        #expect(finals.map(\.isDoubtful) == [true])
    }

    @Test func aTextWhoseSentenceDoesNotGoOnIsFinalAtTheEnd() async throws {
        let first = ScriptedEngine([.final("it is late", at: .seconds(4), endsInSpeech: true)])
        let engine = TwoPassEngine(quick: first, thorough: thorough("It is late."))
        let finals = try await results(engine).finals
        #expect(finals.map(\.text) == ["It is late."])
        #expect(finals.allSatisfy { $0.isComplete })
    }

    @Test func aTextThatWaitsSurvivesATimeLimit() async throws {
        let stuck = ScriptedEngine([
            .final("it is late", at: .seconds(4), endsInSpeech: true), .stall(at: .seconds(5)),
        ])
        let engine = TwoPassEngine(quick: stuck, thorough: thorough("It is late."))
        var options = RecognitionOptions.liveDictation()
        options.finalizationTimeout = .seconds(5)
        let finals = try await VirtualTime.run { [options] _ in
            let session = try await engine.makeSession(options)
            try session.start(AudioInput(seconds(7)))
            #expect(try await session.finish() != .complete)
            var found: [SpeechResult] = []
            for try await update in session.results { if let result = update.finalResult { found.append(result) } }
            return found
        }
        #expect(finals.map(\.text) == ["It is late."])
    }
}

import DictationCore
import DictationTesting
import FoundationEssentials
import Testing

private func result(_ from: Int, _ to: Int, _ text: String) -> SpeechResult {
    SpeechResult(range: .seconds(from)..<(.seconds(to)), text: text)
}

private func volatile(_ from: Int, _ to: Int, _ text: String) -> SpeechUpdate { .volatile(result(from, to, text)) }
private func final(_ from: Int, _ to: Int, _ text: String) -> SpeechUpdate { .final(result(from, to, text)) }

@Suite struct TranscriptAccumulatorTests {
    @Test func aVolatileResultTakesThePlaceOfThoseItOverlaps() {
        var text = TranscriptAccumulator()
        text.apply(volatile(0, 1, "a"))
        text.apply(volatile(2, 3, "c"))
        text.apply(volatile(1, 2, "b"))
        #expect(text.volatileTail.map(\.text) == ["a", "b", "c"])
        text.apply(volatile(1, 3, "bc"))
        #expect(text.volatileTail.map(\.text) == ["a", "bc"])
    }

    @Test func aFinalResultTakesThePlaceOfVolatileOnes() {
        var text = TranscriptAccumulator()
        text.apply(volatile(0, 2, "go for"))
        text.apply(final(0, 2, "go forward"))
        #expect(text.volatileTail.isEmpty)
        #expect(text.finalResults.map(\.text) == ["go forward"])
        #expect(text.finalizedThrough == .seconds(2))
    }

    @Test func whatIsRevokedIsGone() {
        var text = TranscriptAccumulator()
        text.apply(volatile(0, 1, "a"))
        text.apply(volatile(1, 2, "b"))
        text.apply(.revoked(.seconds(1)..<(.seconds(2))))
        #expect(text.volatileTail.map(\.text) == ["a"])
    }

    @Test func silenceMovesTheWatermarkAndAddsNothing() {
        var text = TranscriptAccumulator()
        text.apply(.finalized(through: .seconds(5)))
        for silence in ["", " \n"] { text.apply(final(5, 9, silence)) }
        #expect(text.finalResults.isEmpty)
        #expect(text.finalizedThrough == .seconds(9))
    }

    @Test func aResultKeepsItsSpeakerWhenItIsCutAndWhenItBecomesFinalEarly() {
        var text = TranscriptAccumulator()
        let ranges: [Range<Duration>] = [.zero..<(.seconds(2)), .seconds(1)..<(.seconds(3))]
        for range in ranges { text.apply(.final(SpeechResult(range: range, text: "a", speaker: "Anna"))) }
        text.apply(.volatile(SpeechResult(range: .seconds(3)..<(.seconds(4)), text: "b", speaker: "Ben")))
        text.finalizeAsIs()
        #expect(text.finalResults.map(\.speaker) == ["Anna", "Anna", "Ben"])
    }

    @Test func whatIsVolatileAtTheEndIsKeptAndMarked() {
        var text = TranscriptAccumulator()
        text.apply(volatile(0, 1, "half a"))
        text.finalizeAsIs()
        #expect(text.finalResults.map(\.text) == ["half a"])
        #expect(text.finalResults.allSatisfy { !$0.isComplete })
        #expect(!text.isComplete)
    }
}

@Suite struct FinalRangeTests {
    /// The updates of a careless session, and the final results of the transcript.
    @Test(arguments: [
        ([final(0, 2, "a"), final(1, 3, "b")], ["a 0–2", "b 2–3"]),
        (
            [final(2, 4, "a"), final(0, 1, "b"), final(4, 5, "c")],
            ["a 2–4", "b 4–4", "c 4–5"]
        ),
        ([final(0, 5, "a"), final(1, 2, "b")], ["a 0–5", "b 5–5"]),
        ([volatile(0, 1, "a"), final(2, 3, "b")], ["b 2–3"]),
        ([volatile(0, 4, "a"), .finalized(through: .seconds(2))], ["a 0–4"]),
        ([final(0, 3, "a"), volatile(0, 2, "b")], ["a 0–3"]),
        ([final(0, 3, "a"), volatile(2, 4, "b")], ["a 0–3", "b 3–4"]),
        ([final(-5, -1, "a"), final(0, 1, "b")], ["a 0–0", "b 0–1"]),
    ])
    func finalRangesNeverOverlap(_ updates: [SpeechUpdate], _ segments: [String]) {
        var text = TranscriptAccumulator()
        for update in updates { text.apply(update) }
        text.finalizeAsIs()
        #expect(
            text.finalResults.map {
                "\($0.text) \($0.range.lowerBound.components.seconds)–\($0.range.upperBound.components.seconds)"
            } == segments)
    }

    @Test func wordTimesStayInTheRangeThatIsLeft() {
        var text = TranscriptAccumulator()
        text.apply(final(0, 2, "a"))
        var late = result(1, 3, "b c d")
        late.words = [
            SpeechResult.Word("b", range: .seconds(1)..<(.seconds(2))),
            SpeechResult.Word("c", range: .milliseconds(1_500)..<(.milliseconds(2_500))), SpeechResult.Word("d"),
        ]
        text.apply(.final(late))
        #expect(
            text.finalResults.last?.words.map(\.range) == [
                .seconds(2)..<(.seconds(2)), .seconds(2)..<(.milliseconds(2_500)), nil,
            ])
    }

    @Test func anyRangesAreTakenInAnyOrder() {
        let times: [Duration] = [
            Duration(attoseconds: .min), .seconds(-1), .zero, .seconds(1), .seconds(2), .seconds(3),
            Duration(attoseconds: .max),
        ]
        var random = SplitMix64(seed: 5)
        for _ in 0..<2_000 {
            var text = TranscriptAccumulator()
            for _ in 0..<6 {
                let ends = [times, times].compactMap { $0.randomElement(using: &random) }.sorted()
                let range = ends[0]..<ends[1]
                let word = SpeechResult.Word("a", range: range)
                let result = SpeechResult(range: range, text: "a", words: [word])
                let updates: [SpeechUpdate] = [
                    .final(result), .volatile(result), .revoked(range), .finalized(through: ends[0]),
                ]
                text.apply(updates.randomElement(using: &random) ?? .final(result))
                var tail = text
                tail.finalizeAsIs()
                let ranges = tail.finalResults.map(\.range)
                #expect(zip(ranges, ranges.dropFirst()).allSatisfy { $0.upperBound <= $1.lowerBound })
            }
        }
    }
}

@Suite struct TranscriptTests {
    @Test(arguments: [
        ("en-US", ["go", "forward"], "go forward"), ("en-US", ["go ", "forward"], "go forward"),
        ("ja-JP", ["前へ", "進め"], "前へ進め"), ("en-US", ["", "go", ""], "go"), ("en-US", [], ""),
    ])
    func piecesAreJoinedAsTheLanguageIsWritten(_ locale: String, _ pieces: [String], _ text: String) {
        #expect(SpeechLocale(locale).join(pieces) == text)
    }

    @Test func attributedTextKnowsWhenEachWordWasSaid() throws {
        let words = [
            SpeechResult.Word("go", range: .seconds(0)..<(.seconds(1)), confidence: 0.5),
            SpeechResult.Word("forward", range: .seconds(1)..<(.seconds(2)), confidence: nil),
        ]
        let segment = SpeechResult(range: .seconds(0)..<(.seconds(2)), text: "go forward", words: words)
        let whole = SpeechResult(range: .seconds(2)..<(.seconds(3)), text: "ten meters")
        let text = Transcript(segments: [segment, whole]).attributedText
        #expect(String(text.characters) == "go forward ten meters")
        let said = try #require(Transcript.range(in: text, saidAt: .milliseconds(1_500)))
        #expect(String(text[said].characters) == "forward")
        #expect(text.runs.first?.confidence == 0.5)
        #expect(Transcript.range(in: text, saidAt: .seconds(9)) == nil)
    }

    @Test(arguments: [
        ("ja-JP", ["前へ", "進め"], "前へ進め"), ("zh-CN", ["向前", "走。"], "向前走。"), ("en-US", ["go", "on"], "go on"),
        ("en-US", ["go ", "on"], "go on"),
    ])
    func attributedTextIsTheText(_ locale: String, _ pieces: [String], _ text: String) {
        let segments = pieces.map { SpeechResult(range: .seconds(0)..<(.seconds(1)), text: $0) }
        let transcript = Transcript(segments: segments, locale: SpeechLocale(locale))
        #expect(String(transcript.attributedText.characters) == text)
        #expect(transcript.text == text)
    }

    /// A segment's text, its words, and the pieces of the attributed text that carry the words' times.
    @Test(
        arguments: [
            ("前へ進め", ["前へ", "進め"], ["前へ", "進め"]), ("Go forward, please.", ["Go", "forward", "please"], nil),
            ("go  forward", ["go", "forward"], nil), ("isn't it", ["is", "n't", "it"], nil),
            ("前へ進め 前へ", ["前へ", "進め", "前へ"], nil), ("head a", ["a"], ["a"]),
            ("go on", ["go", "missing", "on"], ["go", nil, "on"]), ("go", [" go"], ["go"]),
            ("go", [""], [nil]), ("", ["go"], [nil]), ("走走走", ["走", "走", "走"], nil),
        ] as [(String, [String], [String?]?)])
    func wordsKeepTheirTimesWhateverIsBetweenThem(_ text: String, _ words: [String], _ pieces: [String?]?) {
        let timed = words.enumerated().map { index, word in
            SpeechResult.Word(word, range: .seconds(index)..<(.seconds(index + 1)), confidence: 0.5)
        }
        let segment = SpeechResult(range: .seconds(100)..<(.seconds(200)), text: text, words: timed)
        let attributed = segment.attributedText
        #expect(String(attributed.characters) == text)
        for (index, piece) in (pieces ?? words).enumerated() {
            let range = Transcript.range(in: attributed, saidAt: .seconds(Double(index) + 0.5))
            #expect(range.map { String(attributed[$0].characters) } == piece)
        }
    }

    @Test func aWordIsNotFoundInsideAnother() throws {
        let word = SpeechResult.Word("a", range: .zero..<(.seconds(1)))
        let segment = SpeechResult(range: .zero..<(.seconds(2)), text: "head a", words: [word])
        let text = segment.attributedText
        let said = try #require(Transcript.range(in: text, saidAt: .zero))
        #expect(String(text[..<said.lowerBound].characters) == "head ")
    }

    @Test(arguments: ["en-US", "en_us", "EN-us", "en-US"])
    func aLocaleIsTheSameHoweverItIsSpelled(_ spelling: String) {
        #expect(SpeechLocale(spelling) == "en-US")
        #expect(SpeechLocale(spelling).language == "en")
    }

    @Test func textKeepsItsSpacesBetweenScripts() {
        var prefix = TranscriptAccumulator.StablePrefix()
        #expect(prefix.split("日本語 maybe") == ("", "日本語 maybe"))
        #expect(prefix.split("日本語 maybe  today") == ("日本語", "maybe today"))
    }

    @Test func aTranscriptIsTheSameAfterJSON() throws {
        let transcript = Transcript(
            segments: [result(0, 1, "go")],
            gaps: [AudioGap(range: .seconds(1)..<(.seconds(2)), frameCount: 16_000, cause: .unplugged)],
            duration: .seconds(2), error: DictationError(.deviceLost, "Gone.", recovery: "Plug it in."))
        let data = try JSONEncoder().encode(transcript)
        #expect(try JSONDecoder().decode(Transcript.self, from: data) == transcript)
    }
}

@Suite struct StablePrefixTests {
    @Test func wordsThatTwoHypothesesAgreeOnAreStable() {
        var prefix = TranscriptAccumulator.StablePrefix()
        #expect(prefix.split("go") == ("", "go"))
        #expect(prefix.split("go for") == ("", "go for"))
        #expect(prefix.split("go forward ten") == ("go", "forward ten"))
        #expect(prefix.split("go forward ten meters") == ("go forward", "ten meters"))
    }

    /// Levels and other events come between two hypotheses. They make nothing stable.
    @Test func theSameResultsAreNoNewHypothesis() {
        var prefix = TranscriptAccumulator.StablePrefix()
        let tail = [SpeechResult(range: .zero..<Duration.seconds(1), text: "wreck a nice")]
        for _ in 1...3 { #expect(prefix.split(tail, in: "en-US") == ("", "wreck a nice")) }
        let next = [SpeechResult(range: .zero..<Duration.seconds(2), text: "recognize speech")]
        #expect(prefix.split(next, in: "en-US") == ("", "recognize speech"))
    }

    @Test func aStableWordIsNotTakenBack() {
        var prefix = TranscriptAccumulator.StablePrefix()
        var shown = ""
        let hypotheses = [
            "go", "go for", "go forward", "no forward then", "so four words ten", "go forward ten meters", "go",
            "", "a b c d e f", "a b c d e f g",
        ]
        for hypothesis in hypotheses {
            let (stable, _) = prefix.split(hypothesis)
            #expect(stable.hasPrefix(shown))
            shown = stable
        }
        #expect(!shown.isEmpty)
    }

    private static let one = result(0, 2, "one two three")
    private static let four = result(2, 4, "four five six")
    private static let seven = result(4, 6, "seven eight nine")

    /// The volatile results before, the volatile results now, and their stable and changing text.
    @Test(arguments: [
        ([one], [four], "", "four five six"), ([one, four], [four], "", "four five six"),
        ([one, four, seven], [one, seven], "one two three", "seven eight nine"),
        ([one, four], [one], "one two three", ""), ([four], [one, four], "", "one two three four five six"),
        ([one, seven], [one, four, seven], "one two three", "four five six seven eight nine"),
        ([one], [one, four], "one two", "three four five six"), ([one], [], "", ""),
        ([one], [result(0, 4, "one two or so four")], "one two", "or so four"),
    ])
    func whatIsRevokedHidesNothing(
        _ before: [SpeechResult], _ after: [SpeechResult], _ stable: String, _ rest: String
    ) {
        var prefix = TranscriptAccumulator.StablePrefix()
        // Each hypothesis is of a little more audio.
        for number in (1...3).reversed() {
            var earlier = before
            if let last = earlier.indices.last {
                let range = earlier[last].range
                earlier[last].range = range.lowerBound..<range.upperBound - .milliseconds(number)
            }
            _ = prefix.split(earlier, in: "en-US")
        }
        let shown = prefix.split(after, in: "en-US")
        #expect(shown == (stable, rest))
    }
}

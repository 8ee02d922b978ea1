import DictationCore
import FoundationEssentials
import Testing

private func result(
    _ status: SpeechResult.Status, _ from: Int, _ to: Int, _ text: String, through: Int = 0
) -> SpeechResult {
    SpeechResult(
        status, range: .seconds(from)..<(.seconds(to)), text: text, finalizedThrough: .seconds(through))
}

@Suite struct TranscriptAccumulatorTests {
    @Test func aVolatileResultTakesThePlaceOfThoseItOverlaps() {
        var text = TranscriptAccumulator()
        text.apply(result(.volatile, 0, 1, "a"))
        text.apply(result(.volatile, 2, 3, "c"))
        text.apply(result(.volatile, 1, 2, "b"))
        #expect(text.volatileTail.map(\.text) == ["a", "b", "c"])
        text.apply(result(.volatile, 1, 3, "bc"))
        #expect(text.volatileTail.map(\.text) == ["a", "bc"])
    }

    @Test func aFinalResultTakesThePlaceOfVolatileOnes() {
        var text = TranscriptAccumulator()
        text.apply(result(.volatile, 0, 2, "go for"))
        text.apply(result(.final, 0, 2, "go forward", through: 2))
        #expect(text.volatileTail.isEmpty)
        #expect(text.finalized.map(\.text) == ["go forward"])
        #expect(text.finalizedThrough == .seconds(2))
    }

    @Test func whatIsRevokedIsGone() {
        var text = TranscriptAccumulator()
        text.apply(result(.volatile, 0, 1, "a"))
        text.apply(result(.volatile, 1, 2, "b"))
        text.apply(result(.revoked, 1, 2, ""))
        #expect(text.volatileTail.map(\.text) == ["a"])
    }

    @Test func silenceMovesTheWatermarkAndAddsNothing() {
        var text = TranscriptAccumulator()
        text.apply(result(.final, 0, 5, "", through: 5))
        #expect(text.finalized.isEmpty)
        #expect(text.finalizedThrough == .seconds(5))
    }

    @Test func whatIsVolatileAtTheEndIsKeptAndMarked() {
        var text = TranscriptAccumulator()
        text.apply(result(.volatile, 0, 1, "half a"))
        text.finalizeAsIs()
        #expect(text.finalized.map(\.text) == ["half a"])
        #expect(text.finalized.allSatisfy { $0.isIncomplete && $0.isFinal })
        #expect(!text.isComplete)
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
        let segment = SpeechResult(.final, range: .seconds(0)..<(.seconds(2)), text: "go forward", words: words)
        let whole = SpeechResult(.final, range: .seconds(2)..<(.seconds(3)), text: "ten meters")
        let text = Transcript(segments: [segment, whole]).attributedText
        #expect(String(text.characters) == "go forward ten meters")
        let said = try #require(Transcript.range(in: text, saidAt: .milliseconds(1_500)))
        #expect(String(text[said].characters) == "forward")
        #expect(text.runs.first?.confidence == 0.5)
        #expect(Transcript.range(in: text, saidAt: .seconds(9)) == nil)
    }

    @Test(arguments: ["en-US", "en_us", "EN-us", "en-US"])
    func aLocaleIsTheSameHoweverItIsSpelled(_ spelling: String) {
        #expect(SpeechLocale(spelling) == "en-US")
        #expect(SpeechLocale(spelling).language == "en")
    }

    @Test func aTranscriptIsTheSameAfterJSON() throws {
        let transcript = Transcript(
            segments: [result(.final, 0, 1, "go", through: 1)],
            gaps: [AudioGap(range: .seconds(1)..<(.seconds(2)), frameCount: 16_000, cause: .unplugged)],
            duration: .seconds(2), error: DictationError(.deviceLost, "Gone.", recovery: "Plug it in."))
        let data = try JSONEncoder().encode(transcript)
        #expect(try JSONDecoder().decode(Transcript.self, from: data) == transcript)
    }
}

@Suite struct StablePrefixTests {
    @Test func wordsThatTwoHypothesesAgreeOnAreStable() {
        var prefix = StablePrefix()
        #expect(prefix.split("go") == ("", "go"))
        #expect(prefix.split("go for") == ("", "go for"))
        #expect(prefix.split("go forward ten") == ("go", "forward ten"))
        #expect(prefix.split("go forward ten meters") == ("go forward", "ten meters"))
    }

    @Test func aStableWordIsNotTakenBack() {
        var prefix = StablePrefix()
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
}

import DictationCore
import DictationTesting
import TestSupport
import Testing

@testable import DictationText

/// Captions around lost audio, such as an unplugged microphone in the middle of a phrase.
@Suite struct LostAudioCaptionTests {
    private static func gap(_ range: ClosedRange<Double>) -> AudioGap {
        AudioGap(
            range: .seconds(range.lowerBound)..<(.seconds(range.upperBound)), frameCount: 1, cause: .unplugged)
    }

    private static func word(_ text: String, _ range: ClosedRange<Double>) -> SpeechResult.Word {
        .init(text, range: .seconds(range.lowerBound)..<(.seconds(range.upperBound)))
    }

    private static func captions(_ transcript: Transcript) -> [Caption] {
        var track = CaptionTrack(style: CaptionStyle())
        return track.end(transcript)
    }

    @Test func aCaptionEndsAtAGapThatIsShorterThanAPause() {
        let words = [Self.word("before", 0...1), Self.word("it", 1...2), Self.word("after", 2.4...3.5)]
        let result = SpeechResult(range: .zero..<(.seconds(4)), text: "before it after", words: words)
        let whole = Transcript(segments: [result], duration: .seconds(4))
        #expect(Self.captions(whole).map(\.lines) == [["before it after"]])
        var broken = whole
        broken.gaps = [Self.gap(2...2.4)]
        #expect(
            Self.captions(broken) == [
                Caption(start: 0, end: 2_000, lines: ["before it"]),
                Caption(start: 2_400, end: 3_500, lines: ["after"]),
                // The gap is too short to read anything in it.
                Caption(start: 3_500, end: 4_500, lines: ["[text missing]"]),
            ])
    }

    @Test func textWithoutTheTimesOfWordsIsSpreadOverTheAudioThatIsThere() {
        let result = SpeechResult(range: .zero..<(.seconds(10)), text: "one two three four")
        let transcript = Transcript(segments: [result], gaps: [Self.gap(4...6)], duration: .seconds(10))
        let captions = Self.captions(transcript)
        #expect(captions.map { $0.lines.joined(separator: " ") } == ["one two", "[text missing]", "three four"])
        #expect(captions.map(\.start) == [0, 4_000, 6_000])
        #expect(captions.map(\.end) == [3_368, 6_000, 10_000])
    }

    @Test func aWordOverAGapIsShownWhereMostOfItIs() {
        let words = [Self.word("early", 0...2.5), Self.word("late", 2.6...9)]
        let result = SpeechResult(range: .zero..<(.seconds(9)), text: "early late", words: words)
        let transcript = Transcript(segments: [result], gaps: [Self.gap(2...4)], duration: .seconds(9))
        #expect(
            Self.captions(transcript) == [
                Caption(start: 0, end: 2_000, lines: ["early"]),
                Caption(start: 2_000, end: 4_000, lines: ["[text missing]"]),
                Caption(start: 4_000, end: 9_000, lines: ["late"]),
            ])
    }

    /// A short caption stays until it can be read, but not while other audio plays.
    @Test func timeToReadEndsBeforeTheAudioGoesOn() {
        let result = SpeechResult(range: .seconds(1)..<(.seconds(1.1)), text: "no")
        var transcript = Transcript(segments: [result], duration: .seconds(9))
        #expect(Self.captions(transcript).map(\.end) == [2_000])
        transcript.gaps = [Self.gap(1.1...1.5)]
        #expect(Self.captions(transcript).map(\.end) == [1_500, 2_500])
    }

    @Test func aSecondRecordingHasGapsOfItsOwn() {
        let result = SpeechResult(range: .zero..<(.seconds(6)), text: "one two three four")
        let transcript = Transcript(segments: [result], gaps: [Self.gap(2...3)], duration: .seconds(12))
        let other = Transcript(segments: [result], duration: .seconds(12))
        var track = CaptionTrack(style: CaptionStyle())
        #expect(track.end(other).count == 1)
        let captions = track.end(transcript)
        #expect(captions.map(\.start) == [12_000, 14_000, 15_105])
        #expect(captions.map(\.end) == [14_000, 15_000, 18_000])
        #expect(track.end(other).count == 1)
    }

    /// A viewer would take an engine that failed for silence.
    @Test(arguments: Player.Format.allCases)
    func captionsSayThatTextIsMissing(_ format: Player.Format) throws {
        func notes(_ transcript: Transcript) throws -> [Int64] {
            let captions = try Player.captions(format.writer().document(transcript), format)
            return captions.filter { $0.text == "[text missing]" }.map(\.start)
        }
        let result = SpeechResult(range: .zero..<(.seconds(2)), text: "one two")
        #expect(try notes(Transcript(segments: [result], duration: .seconds(9))) == [])
        let gap = Self.gap(3...3.1)
        #expect(try notes(Transcript(segments: [result], gaps: [gap], duration: .seconds(9))) == [3_100])
        #expect(try notes(Transcript(gaps: [Self.gap(0...30)], duration: .seconds(30), isComplete: false)) == [0])
        let gaps = [Self.gap(3...4), Self.gap(4...5), Self.gap(7...8)]
        #expect(try notes(Transcript(segments: [result], gaps: gaps, duration: .seconds(9))) == [3_000, 7_000])
    }

    @Test(arguments: Player.Format.allCases, RandomRuns.seeds(40))
    func noCaptionSpansAGapAndNoneDependsOnHowResultsArrive(_ format: Player.Format, seed: UInt64) throws {
        var hostile = HostileDocument(random: SplitMix64(seed: seed), hasSpeakers: seed % 2 == 0)
        for _ in 0..<20 {
            var transcript = hostile.transcript()
            var end = Duration.zero
            for _ in 0..<Int.random(in: 0...6, using: &hostile.random) {
                let start = end + .milliseconds(1) + hostile.span()
                end = start + hostile.span()
                transcript.gaps.append(AudioGap(range: start..<end, frameCount: 1, cause: .overrun))
            }
            let whole = format.writer().document(transcript)
            var writer = format.writer()
            var text = ""
            for gap in transcript.gaps { text += writer.write(gap) }
            for segment in transcript.segments { text += writer.write(segment) }
            #expect(text + writer.finish(transcript) == whole, "seed \(seed)")
            for caption in try Player.captions(whole, format) {
                let spanned = transcript.gaps.first { gap in
                    caption.start < gap.range.lowerBound.milliseconds && !gap.range.isEmpty
                        && gap.range.upperBound.milliseconds < caption.end
                }
                #expect(spanned == nil, "seed \(seed): \(caption)")
            }
        }
    }
}

import DictationCore
import Testing

@testable import DictateCommand

@Suite struct CaptionTests {
    private func segment(_ text: String, _ range: ClosedRange<Double>, timed: Bool = false) -> SpeechResult {
        let (start, end) = (Duration.seconds(range.lowerBound), Duration.seconds(range.upperBound))
        let words = text.split(separator: " ")
        let step = (end - start) / max(1, words.count)
        let timedWords = words.enumerated().map { index, word in
            SpeechResult.Word(String(word), range: start + step * index..<start + step * (index + 1))
        }
        return SpeechResult(range: start..<end, text: text, words: timed ? timedWords : [])
    }

    private func captions(_ segments: [SpeechResult]) -> [Caption] {
        var cutter = CaptionCutter()
        return segments.flatMap { cutter.add($0) } + cutter.finish()
    }

    @Test(arguments: [true, false])
    func captionsCanBeRead(timed: Bool) {
        let words = (0..<200).map { "word\($0)" }.joined(separator: " ")
        let all = captions([segment(words, 1...120, timed: timed), segment("the end", 120...121, timed: timed)])
        #expect(all.count > 15)
        for caption in all {
            #expect((1...2).contains(caption.lines.count))
            #expect(caption.lines.allSatisfy { DisplayWidth.of($0) <= 42 })
            #expect(caption.end > caption.start)
        }
        #expect(all.contains { $0.lines.contains { DisplayWidth.of($0) > 42 - 7 } }, "the lines are not filled")
        if timed { #expect(all.allSatisfy { $0.end - $0.start <= 7_000 }) }
        for (one, next) in zip(all, all.dropFirst()) { #expect(one.end <= next.start) }
        #expect(all.flatMap(\.lines).joined(separator: " ") == words + " the end")
    }

    @Test func aPauseEndsACaption() {
        let words: [SpeechResult.Word] = [
            .init("one", range: .seconds(0)..<(.seconds(1))), .init("two", range: .seconds(5)..<(.seconds(6))),
        ]
        let all = captions([SpeechResult(range: .zero..<(.seconds(6)), text: "one two", words: words)])
        #expect(
            all == [Caption(start: 0, end: 1_000, lines: ["one"]), Caption(start: 5_000, end: 6_000, lines: ["two"])])
    }

    @Test func shortCaptionsStayForASecondUnlessTheNextOneComes() {
        let all = captions([segment("a", 1...1.1), segment("b", 1.5...1.6), segment("c", 9...9.1)])
        #expect(all.map(\.start) == [1_000, 1_500, 9_000])
        #expect(all.map(\.end) == [1_500, 2_500, 10_000])
    }

    @Test func theSameInstantDoesNotOverlap() {
        let all = captions([segment("a", 1...1), segment("b", 1...1), segment("c", 0.5...0.6)])
        for (one, next) in zip(all, all.dropFirst()) { #expect(one.end <= next.start) }
        #expect(all.allSatisfy { $0.end > $0.start })
    }

    @Test func markupIsText() {
        var vtt = CaptionFormatter(style: .vtt)
        let report = SourceReport(source: "a", engine: "e", transcript: Transcript())
        let text = vtt.add(segment("a <b> & --> c", 0...2)) + vtt.end(report)
        #expect(text == "00:00:00.000 --> 00:00:02.000\na &lt;b&gt; &amp; --&gt; c\n\n")
        var srt = CaptionFormatter(style: .srt)
        let other = srt.add(segment("<b>x --> {\\an8}", 3_600...3_602)) + srt.end(report)
        #expect(other == "1\n01:00:00,000 --> 01:00:02,000\n<\u{2060}b>x --\u{2060}> {\u{2060}\\an8}\n\n")
    }

    /// To Swift each of these is one character with what is beside it; to a player it is markup.
    @Test(arguments: ["\u{600}<b>", "<\u{301}b>", "\u{600}<\u{200D}b>"])
    func markupIsTextAlsoWhenItIsJoined(_ text: String) {
        let report = SourceReport(source: "a", engine: "e", transcript: Transcript())
        var vtt = CaptionFormatter(style: .vtt)
        let whole = vtt.add(segment(text, 0...2)) + vtt.end(report)
        #expect(!whole.unicodeScalars.contains("<"), "\(whole)")
        var srt = CaptionFormatter(style: .srt)
        let scalars = Array((srt.add(segment(text, 0...2)) + srt.end(report)).unicodeScalars)
        let mark = scalars.firstIndex(of: "<")
        #expect(mark.map { scalars[$0 + 1] } == "\u{2060}")
    }
}

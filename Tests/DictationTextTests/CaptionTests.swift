import DictationCore
import DictationTesting
import Testing

@testable import DictationText

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
        var track = CaptionTrack(style: CaptionStyle())
        return segments.flatMap { track.add($0) } + track.end(Transcript(segments: segments))
    }

    private func document(_ segment: SpeechResult, _ writer: some TranscriptWriter) -> String {
        writer.document(Transcript(segments: [segment]))
    }

    /// A script without spaces has its share of the time for each character, as words have.
    @Test func aLongTextWithoutSpacesIsSpreadOverItsTime() {
        let text = String(repeating: "今天天气很好，我们去公园。", count: 10)
        let all = captions([segment(text, 0...60)])
        #expect(all.count > 3 && all.flatMap(\.lines).joined() == text)
        for caption in all { #expect(caption.lines.allSatisfy { $0.displayWidth <= 42 && $0.first != "，" }) }
        let rates = all.map { Double($0.lines.joined().displayWidth) / Double($0.end - $0.start) }
        #expect(rates.allSatisfy { $0 < 2 * rates[0] }, "\(all)")
    }

    @Test(arguments: [true, false])
    func captionsCanBeRead(timed: Bool) {
        let words = (0..<200).map { "word\($0)" }.joined(separator: " ")
        let all = captions([segment(words, 1...120, timed: timed), segment("the end", 120...121, timed: timed)])
        #expect(all.count > 15)
        for caption in all {
            #expect((1...2).contains(caption.lines.count))
            #expect(caption.lines.allSatisfy { $0.displayWidth <= 42 })
            #expect(caption.end > caption.start)
        }
        #expect(all.contains { $0.lines.contains { $0.displayWidth > 42 - 7 } }, "the lines are not filled")
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
        let text = document(segment("a <b> & --> c", 0...2), VTTWriter())
        #expect(text == "WEBVTT\n\n00:00:00.000 --> 00:00:02.000\na &lt;b&gt; &amp; --&gt; c\n\n")
        let other = document(segment("<b>x --> {\\an8}", 3_600...3_602), SRTWriter())
        #expect(other == "1\n01:00:00,000 --> 01:00:02,000\n<\u{2060}b>x --\u{2060}> {\u{2060}\\an8}\n\n")
    }

    /// To Swift each of these is one character with what is beside it; to a player it is markup.
    @Test(arguments: ["\u{600}<b>", "<\u{301}b>", "\u{600}<\u{200D}b>"])
    func markupIsTextAlsoWhenItIsJoined(_ text: String) {
        let whole = document(segment(text, 0...2), VTTWriter())
        #expect(!whole.unicodeScalars.contains("<"), "\(whole)")
        let scalars = Array(document(segment(text, 0...2), SRTWriter()).unicodeScalars)
        let mark = scalars.firstIndex(of: "<")
        #expect(mark.map { scalars[$0 + 1] } == "\u{2060}")
    }

    /// Words that the text joins in its own way: with punctuation, or without spaces.
    @Test(arguments: [
        ("Hello, world. Yes!", ["Hello", "world", "Yes"], ["Hello, world. Yes!"]),
        ("你好世界", ["你", "好", "世", "界"], ["你好世界"]),
        ("«Oui»", ["Oui"], ["«Oui»"]),
        // A word that the text doesn't have: the words are all there is to go by.
        ("twenty", ["20", "%"], ["20 %"]),
        ("one and two", ["one", "two"], ["one two"]),
    ])
    func captionsReadLikeTheText(text: String, words: [String], lines: [String]) {
        let timed = words.enumerated().map { index, word in
            SpeechResult.Word(word, range: .seconds(index)..<(.seconds(index + 1)))
        }
        let segment = SpeechResult(range: .zero..<(.seconds(words.count)), text: text, words: timed)
        #expect(captions([segment]).flatMap(\.lines) == lines)
    }

    @Test func chineseFillsALineWithHalfAsManyCharacters() {
        let text = String(repeating: "语", count: 50)
        let all = captions([segment(text, 0...10)])
        #expect(all.map { $0.lines.map(\.count) } == [[21, 14], [15]])
        // A caption is shown for up to seven seconds.
        #expect(all.map(\.start) == [0, 6_930])
    }

    @Test func aStyleSaysHowMuchACaptionHolds() {
        let style = CaptionStyle(
            columns: 10, lines: 1, maximumDuration: .seconds(2), minimumDuration: .milliseconds(500),
            maximumPause: .milliseconds(200))
        let text = SRTWriter(style: style).document(
            Transcript(segments: [segment("a b c d e f", 0...6, timed: true), segment("x", 9...9)]))
        let lines = text.split(separator: "\n\n").map { $0.split(separator: "\n").last ?? "" }
        #expect(lines == ["a b", "c d", "e f", "x"])
        #expect(text.hasSuffix("00:00:09,000 --> 00:00:09,500\nx\n\n"))
    }

    // MARK: Reading speed and phrases

    private static let speech = """
        Mr. Dashwood had been at leisure to consider how much there might be prudently in his power to do for them. He \
        was not an ill disposed young man, unless to be rather cold hearted, and rather selfish, is to be ill \
        disposed: but he was, in general, well respected; for he conducted himself with propriety in the discharge \
        of his ordinary duties. Had he married a more amiable woman, he might have been made still more respectable \
        than he was. Had he? He might even have been made amiable himself, for he was very young when he married.
        """

    /// The captions of a text in which each word takes a time for each letter, with pauses after a mark.
    private func spoken(_ text: String, perLetter: Duration, pause: Duration) -> [Caption] {
        var time = Duration.seconds(1)
        let words = text.split(separator: " ").map { word in
            let start = time
            let end = start + perLetter * (word.count + 1)
            time = end + (word.last?.isPunctuation == true ? pause : .zero)
            return SpeechResult.Word(String(word), range: start..<end)
        }
        return captions([SpeechResult(range: .seconds(1)..<time, text: text, words: words)])
    }

    @Test func captionsEndWherePhrasesEnd() {
        let all = spoken(Self.speech, perLetter: .milliseconds(60), pause: .milliseconds(200))
        #expect(
            all.map { $0.lines.joined(separator: " / ") } == [
                "Mr. Dashwood had been at leisure to / consider how much there might be prudently",
                "in his power to do for them. / He was not an ill disposed young man,",
                "unless to be rather cold hearted, / and rather selfish, is to be ill disposed:",
                "but he was, in general, well respected; / for he conducted himself with propriety",
                "in the discharge of his ordinary duties. / Had he married a more amiable woman,",
                "he might have been made still more / respectable than he was. Had he?",
                "He might even have been / made amiable himself,", "for he was very young when he married.",
            ])
    }

    @Test func phrasesEndCaptionsAlsoWithoutTheTimesOfWords() {
        let text = """
            And so my fellow Americans: ask not what your country can do for you, ask what you can do for your country.
            """
        let all = captions([segment(text, 0...10)])
        #expect(
            all.map { $0.lines.joined(separator: " / ") } == [
                "And so my fellow Americans: / ask not what your country can do for you,",
                "ask what you can do for your country.",
            ])
        #expect(all.map(\.start) == [0, 6_481])
    }

    /// A caption that is too fast has no time left: the next one starts at its end.
    @Test(arguments: [(30, 0), (40, 200), (55, 0), (55, 600), (60, 900), (90, 200)])
    func captionsCanBeReadWhereTheSpeechAllowsIt(perLetter: Int, pause: Int) {
        let all = spoken(Self.speech, perLetter: .milliseconds(perLetter), pause: .milliseconds(pause))
        for (index, caption) in all.enumerated() {
            let speed = Double(caption.width) / Double(caption.end - caption.start) * 1_000
            let hasTimeLeft = index + 1 == all.count || caption.end < all[index + 1].start
            #expect(speed <= 17 || !hasTimeLeft, "\(speed) columns a second: \(caption)")
            #expect(caption.lines.count <= 2 && caption.lines.allSatisfy { $0.displayWidth <= 42 })
        }
        #expect(all.flatMap(\.lines).joined(separator: " ") == Self.speech)
    }

    /// Random sentences of phrases of three to seven words, said at random speeds.
    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func randomSpeechMakesCaptionsThatCanBeReadAndEndWherePhrasesEnd(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let words = """
            so the harbor bridge was closed again and nobody of the council knew when it would open for those who live on \
            a small island without another connection to anything
            """.split(separator: " ")
        let text = (0..<60).map { phrase in
            (0..<Int.random(in: 3...7, using: &random)).map { _ in String(words.randomElement(using: &random) ?? "a") }
                .joined(separator: " ") + (phrase % 3 == 2 ? "." : ",")
        }.joined(separator: " ")
        let all = spoken(
            text, perLetter: .milliseconds(Int.random(in: 30...90, using: &random)),
            pause: .milliseconds(Int.random(in: 0...700, using: &random)))
        for (index, caption) in all.enumerated() {
            let speed = Double(caption.width) / Double(caption.end - caption.start) * 1_000
            let hasTimeLeft = index + 1 == all.count || caption.end < all[index + 1].start
            #expect(speed <= 17 || !hasTimeLeft, "\(speed) columns a second: \(caption)")
            #expect(caption.lines.count <= 2 && caption.lines.allSatisfy { $0.displayWidth <= 42 })
        }
        #expect(all.flatMap(\.lines).joined(separator: " ") == text)
        // A phrase is a fifth to a third of a caption's words, so that few would end with one by chance.
        let ends = all.count { $0.lines.last?.last?.isPunctuation == true }
        #expect(Double(ends) > 0.8 * Double(all.count), "\(ends) of \(all.count)")
    }

    /// At the speed of usual speech, every caption can be read.
    @Test func usualSpeechIsNeverTooFast() {
        for caption in spoken(Self.speech, perLetter: .milliseconds(60), pause: .milliseconds(250)) {
            #expect(Double(caption.width) / Double(caption.end - caption.start) * 1_000 <= 17, "\(caption)")
        }
    }

    @Test func aPauseIsAPhraseEndWhereTheTextHasNoMarks() {
        let words = Self.speech.lowercased().filter { $0.isLetter || $0 == " " }.split(separator: " ")
        var time = Duration.zero
        let timed = words.enumerated().map { index, word in
            defer { time += .milliseconds(index % 9 == 8 ? 900 : 350) }
            return SpeechResult.Word(String(word), range: time..<time + .milliseconds(350))
        }
        let text = words.joined(separator: " ")
        let all = captions([SpeechResult(range: .zero..<time, text: text, words: timed)])
        let pauses = Set(stride(from: 8, to: words.count, by: 9).map { String(words[$0]) })
        let ends = all.dropLast().compactMap { $0.lines.last?.split(separator: " ").last.map(String.init) }
        #expect(ends.count > 5 && ends.allSatisfy(pauses.contains), "\(ends) of \(pauses)")
    }

    @Test func aSpeedOfZeroIsNoLimit() {
        let style = CaptionStyle(minimumDuration: .zero, columnsPerSecond: 0)
        let text = SRTWriter(style: style).document(Transcript(segments: [segment("many words in no time", 0...0.1)]))
        #expect(text.hasPrefix("1\n00:00:00,000 --> 00:00:00,100\n"))
    }
}

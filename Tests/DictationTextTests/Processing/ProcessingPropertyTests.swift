import DictationCore
import DictationTesting
import Testing

@testable import DictationText

@Suite struct ProcessingPropertyTests {
    private static var all: [any TextProcessor] {
        [
            WrittenVocabulary([.init("Seven Eleven"), .init("swift dictation", as: "swift-dictation")]),
            SpokenPunctuation(), SpokenUndo(), SpokenNumbers(), FillerRemoval(), PauseParagraphs(),
        ]
    }

    @Test func theWayOfCuttingTextIntoResultsDoesNotChangeWhatIsWritten() {
        var random = SplitMix64(seed: 7)
        for number in 0..<60 {
            let text = SpokenText(&random, count: 40)
            let whole = Transcript(segments: text.results(&random, cutsOneIn: nil)).processed(by: Self.all)
            for share in [1, 2, 7] as [UInt64] {
                let segments = text.results(&random, cutsOneIn: share)
                let parts = Transcript(segments: segments).processed(by: Self.all)
                #expect(parts.text == whole.text)
                #expect(parts.words == whole.words, "text \(number)")
            }
        }
    }

    @Test func aPreviewIsTheTextThatWouldBeWrittenIfNothingFollowed() {
        var random = SplitMix64(seed: 11)
        for _ in 0..<30 {
            let results = SpokenText(&random, count: 30).results(&random, cutsOneIn: 4)
            let cut = results.count / 2
            var processing = TextProcessorChain(Self.all)
            let settled = results.prefix(cut).flatMap { processing.add($0) }
            let shown = settled + processing.preview(Array(results.dropFirst(cut)))
            #expect(Transcript(segments: shown).text == Transcript(segments: results).processed(by: Self.all).text)
            // A preview changes nothing.
            let pending = processing.preview()
            #expect(processing.finish() == pending)
        }
    }

    @Test(arguments: ["numbers", "punctuation", "vocabulary", "fillers", "paragraphs"])
    func writtenTextStaysAsItIs(_ name: String) {
        let processors: [String: any TextProcessor] = [
            "numbers": SpokenNumbers(), "punctuation": SpokenPunctuation(), "fillers": FillerRemoval(),
            "vocabulary": WrittenVocabulary([.init("Seven Eleven"), .init("CAFÉ")]), "paragraphs": PauseParagraphs(),
        ]
        guard let processor = processors[name] else { return #expect(Bool(false)) }
        var random = SplitMix64(seed: 5)
        for _ in 0..<100 {
            // “Literal” is there to make text that would be something else when it is read again.
            let text = SpokenText(&random, count: 25, leaving: ["literal"])
            let once = Transcript(segments: text.results(&random, cutsOneIn: nil)).processed(by: [processor])
            let twice = once.processed(by: [processor])
            #expect(twice.text == once.text, "from: \(text.words.map(\.text).joined(separator: " "))")
        }
    }

    @Test func everyWrittenWordHasATimeAndAConfidenceWithinItsResult() throws {
        var random = SplitMix64(seed: 3)
        for _ in 0..<40 {
            let segments = SpokenText(&random, count: 40).results(&random, cutsOneIn: 5)
            let written = Transcript(segments: segments).processed(by: Self.all)
            var end = Duration.zero
            for segment in written.segments {
                #expect(segment.range.lowerBound >= end)
                end = segment.range.upperBound
                let text = segment.text.split(whereSeparator: \.isWhitespace).joined()
                #expect(segment.words.map(\.text).joined() == text)
                for word in segment.words {
                    let range = try #require(word.range)
                    #expect(
                        range.lowerBound >= segment.range.lowerBound && range.upperBound <= segment.range.upperBound)
                    #expect(word.confidence != nil)
                }
            }
        }
    }

    @Test func textThatIsPendingHasABound() {
        for word in ["twenty", "the", "um", "comma", "word", "a", ",", "scratch"] {
            let one = SpeechResult(range: .zero..<(.seconds(1)), text: word)
            var processing = TextProcessorChain(Self.all)
            var settled = 0
            for _ in 0..<1_000 { settled += processing.add(one).reduce(0) { $0 + $1.text.utf8.count } }
            let pending = processing.preview().reduce(0) { $0 + $1.text.utf8.count }
            #expect(pending < 300 * 8, "\(word): \(settled) settled")
        }
    }

    @Test func anyTextCanBeProcessed() {
        let odd = [
            "\u{0}", "\u{301}", "e\u{301}\u{301}", "\u{202E}", "👩‍👩‍👧‍👦", "\u{FEFF}", "ﬁ", "İ", "ß", "\r\n", "\n\n\n",
            "\u{2028}", "٣", "½",
            "twenty\u{301}", "-", "--", "twenty-", "-three", "'", "“", "comma\u{200D}", "\u{10FFFF}", "🇩🇪🇩", "percent",
            "twenty", "hundred", "million", "first", ".", ",", "new", "line", "\t",
        ]
        var random = SplitMix64(seed: 23)
        for _ in 0..<150 {
            var segments: [SpeechResult] = []
            for number in 0..<3 {
                let parts = (0..<10).map { _ in odd[Int(random.next() % UInt64(odd.count))] }
                let text = parts.joined(separator: random.next() % 2 == 0 ? " " : "")
                let words = parts.map { SpeechResult.Word($0, range: .seconds(number)..<(.seconds(number + 1))) }
                segments.append(
                    SpeechResult(range: .seconds(number)..<(.seconds(number + 1)), text: text, words: words))
            }
            let written = Transcript(segments: segments).processed(by: Self.all)
            let kept = Transcript(segments: segments).processed(by: [])
            /// A mark that combines with a space goes with the space.
            func letters(_ text: String) -> String.UnicodeScalarView {
                text.unicodeScalars.filter { !$0.properties.isWhitespace && $0 != "\u{301}" }
            }
            // Without processors, all but the white space stays.
            #expect(letters(kept.text).elementsEqual(letters(segments.map(\.text).joined())))
            #expect(written.segments.allSatisfy { $0.range.lowerBound <= $0.range.upperBound })
        }
    }
}

import DictationCore
import DictationTesting
import Foundation
import Testing

@testable import DictationText

/// Text that arrives in any way, with any processors in any order.
@Suite struct SurfaceProcessingTests {
    private static func processors(_ random: inout SplitMix64) -> [any TextProcessor] {
        let all: [any TextProcessor] = [
            WrittenVocabulary([
                .init("Seven Eleven"), .init("swift dictation", as: "swift-dictation"),
                .init("twenty three", as: "Jordan"),
                .init("comma", as: "Comma Club"), .init("new line", as: "a\tb"),
            ]), SpokenPunctuation(capitalizesStart: random.next() % 2 == 0),
            SpokenUndo(pause: .milliseconds(Int64(random.next() % 2_000))),
            SpokenNumbers(), FillerRemoval(),
            PauseParagraphs(pause: .seconds(1), maximumWords: Int(random.next() % 30)),
        ]
        return all.shuffled(using: &random).filter { _ in random.next() % 3 != 0 }
    }

    @Test(arguments: 0..<12 as Range<UInt64>) func anyProcessorsInAnyOrderWriteTheSameForAnyCut(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        for _ in 0..<5 {
            let processors = Self.processors(&random)
            let text = SpokenText(&random, count: 50)
            let whole = Transcript(segments: text.results(&random, cutsOneIn: nil)).processed(by: processors)
            for share in [1, 3, 10] as [UInt64] {
                let parts = Transcript(segments: text.results(&random, cutsOneIn: share)).processed(by: processors)
                #expect(parts.text == whole.text, "\(processors.map { type(of: $0) })")
                #expect(parts.words == whole.words)
            }
        }
    }

    /// What is settled stays, and what is shown is what would be written if nothing followed.
    @Test(arguments: 0..<8 as Range<UInt64>) func settledTextOnlyGrows(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let processors = Self.processors(&random)
        let results = SpokenText(&random, count: 80).results(&random, cutsOneIn: 3)
        var processing = TextProcessorChain(processors)
        var settled: [SpeechResult] = []
        for (index, result) in results.enumerated() {
            settled += processing.add(result)
            let shown = Transcript(segments: settled + processing.preview()).text
            let written = Transcript(segments: Array(results.prefix(index + 1))).processed(by: processors).text
            #expect(shown == written)
            #expect(written.hasPrefix(Transcript(segments: settled).text))
        }
        settled += processing.finish()
        #expect(settled == Transcript(segments: results).processed(by: processors).segments)
        #expect(processing.finish().isEmpty && processing.preview().isEmpty)
        // The value is ready for another text.
        var again: [SpeechResult] = []
        for result in results { again += processing.add(result) }
        #expect(again + processing.finish() == settled)
    }

    /// Speakers that take turns, or talk at once, each have a text of their own, in the order of their times.
    @Test(arguments: 0..<8 as Range<UInt64>) func speakersDoNotMix(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let names = ["Ann", "Bob", nil]
        var said: [SpeechResult] = []
        for name in names {
            let text = SpokenText(&random, count: 30)
            said += text.results(&random, cutsOneIn: 4).map { result in
                var result = result
                result.speaker = name
                return result
            }
        }
        said.sort { $0.range.lowerBound < $1.range.lowerBound }
        let written = Transcript(segments: said).processed(by: [SpokenPunctuation(), SpokenNumbers(), FillerRemoval()])
        #expect(Set(written.segments.map(\.speaker)).isSubset(of: Set(names)))
        #expect(written.segments.allSatisfy { $0.hasText })
        #expect(written.words.allSatisfy { $0.range != nil })
        for segment in written.segments {
            #expect(
                segment.words.allSatisfy {
                    $0.range.map { segment.range.contains($0.lowerBound) || $0.isEmpty } ?? false
                })
        }
    }

    @Test func resultsInOrderStayInOrderWhateverTheSpeaker() {
        var random = SplitMix64(seed: 77)
        for _ in 0..<30 {
            var time = Duration.zero
            let said = (0..<20).map { _ in
                let words = ["twenty", "three", "um", "period", "the", "new", "line", "cats", "scratch", "that"]
                let text = (0..<3).map { _ in words[Int(random.next() % 10)] }.joined(separator: " ")
                defer { time += .seconds(1) }
                return SpeechResult(
                    range: time..<time + .seconds(1), text: text, speaker: ["Ann", "Bob"][Int(random.next() % 2)])
            }
            let written = Transcript(segments: said).processed(by: [
                SpokenPunctuation(), SpokenUndo(), SpokenNumbers(), FillerRemoval(),
            ])
            let starts = written.segments.map(\.range.lowerBound)
            #expect(starts == starts.sorted())
        }
    }

    @Test func tenThousandWordsInOneResultAreWritten() {
        var random = SplitMix64(seed: 1)
        let text = SpokenText(&random, count: 10_000)
        let whole = Transcript(segments: text.results(&random, cutsOneIn: nil))
        let processors: [any TextProcessor] = [
            SpokenPunctuation(), SpokenUndo(), SpokenNumbers(), FillerRemoval(), PauseParagraphs(),
        ]
        let written = whole.processed(by: processors)
        #expect(written.words.count > 5_000)
        #expect(
            written.text == Transcript(segments: text.results(&random, cutsOneIn: 9)).processed(by: processors).text)
    }

    // MARK: Vocabularies

    private func vocabulary(_ spoken: String, _ text: String) throws -> String {
        written(spoken, by: [try WrittenVocabulary(parsing: text)])
    }

    /// Files as editors of other systems save them.
    @Test(arguments: [
        "\u{FEFF}siobhan -> Siobhan\r\nmac book -> MacBook\r\n", "siobhan->Siobhan\nmac book->MacBook",
        "siobhan\t->\tSiobhan\n\n\n  mac   book  ->  MacBook  \n",
        "# c\r\n\r\nsiobhan -> Siobhan\r\n#\r\nmac book -> MacBook",
        "siobhan -> Siobhan\rmac book -> MacBook", "\u{FEFF}# c\nsiobhan -> Siobhan\nmac book -> MacBook\n\u{0}",
    ])
    func aVocabularyOfAnyEditorIsRead(_ text: String) throws {
        #expect(try vocabulary("siobhan has a mac book", text) == "Siobhan has a MacBook")
    }

    @Test func rulesDoNotFeedOnEachOther() throws {
        #expect(try vocabulary("a b c", "a -> b\nb -> c\nc -> a") == "b c a")
        #expect(try vocabulary("new york new york city", "new york -> NY\nnew york city -> NYC\nny -> x") == "NY NYC")
        #expect(try vocabulary("one two three four", "one two three -> A\ntwo three four -> B") == "A four")
        #expect(try vocabulary("a a a a a", "a a -> b\na a a -> c") == "c b")
        #expect(try vocabulary("go go go", "go -> go go") == "go go go go go go")
    }

    @Test func wordsOfTheVocabularyAreNotChangedLater() throws {
        let names = try WrittenVocabulary(
            parsing: "seven eleven -> 7-Eleven\nperiod drama -> Period Drama\nuh huh -> uh-huh\num -> UM")
        #expect(
            written(
                "i um like the seven eleven period drama and uh huh scratch",
                by: [
                    names, SpokenPunctuation(capitalizesStart: false), SpokenUndo(), SpokenNumbers(), FillerRemoval(),
                ]) == "i UM like the 7-Eleven Period Drama and uh-huh scratch")
    }

    @Test func aVocabularyOfTenThousandPhrasesIsUsed() {
        let entries = (0..<10_000).map { WrittenVocabulary.Entry("name \($0)", as: "Name-\($0)") }
        #expect(
            written("name 9999 and name 0 and name 10000", by: [WrittenVocabulary(entries)])
                == "Name-9999 and Name-0 and name 10000")
    }
}

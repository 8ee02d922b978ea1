import DictationCore
import DictationTesting
import Testing

@testable import DictationEngines

/// Each word of a final result has a time of its own.
@Suite struct WordOrderTests {
    private func heard(_ words: (String, Range<Int>)...) -> [SpeechResult.Word] {
        words.map { SpeechResult.Word($0.0, range: .milliseconds($0.1.lowerBound)..<(.milliseconds($0.1.upperBound))) }
    }

    private func times(_ words: [SpeechResult.Word]) -> [Range<Int>] {
        words.compactMap(\.range).map { Int($0.lowerBound / .milliseconds(1))..<Int($0.upperBound / .milliseconds(1)) }
    }

    private func times(
        of text: String, _ heard: [SpeechResult.Word], in range: Range<Int> = 0..<1_000
    ) -> [Range<Int>] {
        let range = Duration.milliseconds(range.lowerBound)..<(.milliseconds(range.upperBound))
        return times(timedWords(of: text, heard, in: range))
    }

    @Test func wordsBetweenTwoPartnersShareTheTimeBetweenThem() {
        let partners = heard(("one", 100..<200), ("four", 500..<600))
        #expect(times(of: "one two three four", partners) == [100..<200, 200..<312, 312..<500, 500..<600])
    }

    @Test func wordsWithoutRoomTakeItFromTheWordBefore() {
        let partners = heard(("one", 100..<400), ("four", 400..<600))
        #expect(times(of: "one two three four", partners) == [100..<181, 181..<263, 263..<400, 400..<600])
    }

    @Test func theFirstWordsWithoutRoomTakeItFromTheWordAfter() {
        #expect(times(of: "oh no four", heard(("four", 0..<400))) == [0..<100, 100..<200, 200..<400])
    }

    @Test func wordsInPlaceOfAWordThatWasTooShortShareTheGapsAroundIt() {
        let partners = heard(("one", 100..<200), ("x", 300..<303), ("four", 500..<600))
        #expect(times(of: "one two three four", partners) == [100..<200, 200..<312, 312..<500, 500..<600])
    }

    @Test func wordsThatOverlapAreCut() {
        let partners = heard(("one", 100..<450), ("two", 400..<500), ("three", 300..<2_000))
        #expect(times(of: "one two three", partners) == [100..<450, 450..<500, 500..<1_000])
    }

    @Test func timesThatAreInOrderStayAsTheyAre() {
        let partners = heard(("one", 0..<10), ("two", 10..<20), ("three", 700..<1_000))
        var words = partners
        words.giveTimes(in: .zero..<(.seconds(1)))
        #expect(words == partners)
    }

    /// A word that is heard, with a time that may be anything.
    private func heardWord(_ text: String, in limit: Int, _ random: inout SplitMix64) -> SpeechResult.Word {
        let start = Int.random(in: -limit / 4...limit, using: &random)
        let length = [0, 1, 300, limit / 3].randomElement(using: &random) ?? 0
        let unit = Duration.microseconds(1)
        return SpeechResult.Word(text, range: unit * start..<unit * (start + length))
    }

    @Test(arguments: 0..<1_000 as Range<UInt64>) func anyAlignmentGivesEachWordATimeOfItsOwn(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let vocabulary = [
            "a", "one", "two", "twenty", "woodcutters", "wood", "1862", "–", "I'm", "characteristically.",
        ]
        func text(_ most: Int) -> [String] {
            (0..<Int.random(in: 1...most, using: &random)).compactMap { _ in vocabulary.randomElement(using: &random) }
        }
        let said = text(40)
        // From less than a millisecond for all words to a minute.
        let limit = [7, 900, 20_000, 3_000_000, 60_000_000].randomElement(using: &random) ?? 1
        var heard = (seed % 5 == 0 ? [] : text(30)).map { heardWord($0, in: limit, &random) }
        if seed % 3 != 0 { heard.sort { ($0.range?.lowerBound ?? .zero) < ($1.range?.lowerBound ?? .zero) } }
        let range = Duration.zero..<(.microseconds(limit))
        let words = timedWords(of: said.joined(separator: " "), heard, in: range)
        #expect(words.map(\.text) == said)
        expectTimesOfTheirOwn(words, in: range)
    }

    @Test func aRangeWithoutLengthIsTaken() {
        let range = Duration.seconds(1)..<(.seconds(1))
        let words = timedWords(of: "one two", heard(("one", 0..<900)), in: range)
        #expect(words.map(\.range) == [range, range])
    }
}

/// Returns the words of a text with the times of other words for the same speech, and times of their own in a range.
func timedWords(
    of text: String, _ heard: [SpeechResult.Word], in range: Range<Duration>
) -> [SpeechResult.Word] {
    var words = TimedWords(heard: heard).words(of: text)
    words.giveTimes(in: range)
    return words
}

/// Expects the times of words to be in order, apart from one another, inside a range, and never empty.
func expectTimesOfTheirOwn(
    _ words: [SpeechResult.Word], in range: Range<Duration>, sourceLocation: SourceLocation = #_sourceLocation
) {
    let times = words.compactMap(\.range)
    #expect(times.count == words.count, sourceLocation: sourceLocation)
    #expect(times.allSatisfy { !$0.isEmpty }, "\(words)", sourceLocation: sourceLocation)
    #expect(
        zip(times, times.dropFirst()).allSatisfy { $0.upperBound <= $1.lowerBound }, "\(words)",
        sourceLocation: sourceLocation)
    #expect(
        times.allSatisfy { range.lowerBound <= $0.lowerBound && $0.upperBound <= range.upperBound }, "\(words)",
        sourceLocation: sourceLocation)
}

import DictationCore
import DictationTesting
import Testing

@testable import DictationEngines

/// Joining the texts of pieces to one text, without a model.
struct PieceJoinerTests {
    private func piece(
        _ range: Range<Double>, overlap: Double = 0, _ ending: PieceEnding = .pause
    ) -> PauseCutter.Piece {
        let start = Duration.seconds(range.lowerBound - overlap)
        let speech = Duration.seconds(range.lowerBound)..<Duration.seconds(range.upperBound)
        let count = Int(AudioFormat.speech.frames(in: speech.upperBound - start))
        return PauseCutter.Piece(
            samples: Array(repeating: 0, count: count), start: start, overlap: .seconds(overlap), speech: speech,
            ending: ending)
    }

    private func finals(_ pieces: [(text: String, piece: PauseCutter.Piece)]) -> [SpeechResult] {
        var joiner = PieceJoiner(isLive: false)
        let updates = pieces.flatMap { joiner.add($0.text, of: $0.piece) }
        return (updates + joiner.flush()).compactMap(\.finalResult)
    }

    // MARK: Seams

    @Test(arguments: [
        ("He lived in the.", "Netherlands by the sea.", "He lived in the", "netherlands by the sea."),
        ("He went to", "The store.", "He went to", "the store."),
        ("He went home,", "I think.", "He went home,", "I think."),
        ("He went home,", "I\u{2019}m sure.", "He went home,", "I\u{2019}m sure."),
        ("He works for", "NASA now.", "He works for", "NASA now."),
        ("He met Mary and", "Mary left.", "He met Mary and", "Mary left."),
        ("He went home.", "then he slept.", "He went home", "then he slept."),
        ("He went home.", "Then he slept.", "He went home.", "Then he slept."),
        ("Is it so?", "Of course.", "Is it so?", "Of course."), ("He said \u{201C}no.\u{201D}", "Then", nil, nil),
        ("", "Then he slept.", nil, nil), ("He slept.", "", nil, nil),
    ])
    func atAPauseASentenceThatGoesOnHasNoFullStop(
        _ first: String, _ second: String, _ before: String?, _ after: String?
    ) {
        let seam = TextSeam(pauseBetween: first, and: second, names: TextSeam.names(in: first))
        #expect(seam.first == before ?? first)
        #expect(seam.second == after ?? second)
    }

    @Test(arguments: [
        (
            "The box was thrown beside the par.", "Was thrown beside the parked truck.",
            "The box was thrown beside the parked truck."
        ),
        ("It was printed in the book.", "In the book, which was lost.", "It was printed in the book, which was lost."),
        ("We met at the station.", "The station. Then we left.", "We met at the station. Then we left."),
        ("One, two, three", "2, three, four.", "One, two, three, four."),
        ("They were at present concerned.", "Present concern differs.", "They were at present concerned differs."),
    ])
    func anOverlapComesOnce(_ first: String, _ second: String, _ joined: String) throws {
        let seam = try #require(TextSeam(overlapOf: first, and: second, shares: (0.4, 0.4)))
        #expect("\(seam.first) \(seam.second)" == joined)
    }

    /// A model often leaves out the end of a sentence at the beginning of its audio.
    @Test func anOverlapThatTheModelLeftOutCostsNoWord() {
        #expect(TextSeam(overlapOf: "My speaking voice.", and: "And I am", shares: (0.5, 0.5)) == nil)
        let texts = [
            ("I record the sound of my speaking voice", piece(0..<20, .length)),
            ("And I am going to play it.", piece(20..<40, overlap: 2, .end)),
        ]
        #expect(finals(texts).map(\.text) == ["I record the sound of my speaking voice and I am going to play it."])
    }

    // MARK: Generated speech

    /// Sentences of words that each take 0.4 s, with the times of the words.
    private struct Talk {
        var words: [String] = []
        static let wordLength = 0.4

        init(seed: UInt64, vocabulary: Int) {
            var random = SplitMix64(seed: seed)
            let syllables = ["ba", "ke", "mi", "no", "su", "ta", "re", "li", "do", "pu"]
            let stems = (0..<vocabulary).map { (number: Int) -> String in
                [number / 100, number / 10, number].map { syllables[$0 % 10] }.joined()
            }
            while words.count < 300 {
                var sentence = (0..<Int.random(in: 3...25, using: &random)).map { _ in
                    stems.randomElement(using: &random) ?? ""
                }
                sentence[0] = sentence[0].prefix(1).uppercased() + sentence[0].dropFirst()
                sentence[sentence.count - 1] += "."
                words += sentence
            }
        }

        /// A sentence that is said again and again.
        init(repeating sentence: String, count: Int) {
            words = Array(repeating: sentence.split(separator: " ").map(String.init), count: count).flatMap(\.self)
        }

        var text: String { words.joined(separator: " ") }
        var length: Double { Double(words.count) * Self.wordLength }

        /// What a model writes for a stretch: whole sentences, and only the beginning of a word at whose middle the
        /// stretch ends.
        func written(_ range: Range<Double>) -> String {
            let (first, last) = (range.lowerBound / Self.wordLength, range.upperBound / Self.wordLength + 1e-6)
            var heard = Array(words[Int(first.rounded(.up))..<min(words.count, Int(last))])
            if Int(last) < words.count, last - last.rounded(.down) > 1e-3 {
                heard.append(String(words[Int(last)].prefix(3)))
            }
            guard let start = heard.first, let end = heard.last else { return "" }
            heard[0] = start.prefix(1).uppercased() + start.dropFirst()
            if end.last != "." { heard[heard.count - 1] += "." }
            return heard.joined(separator: " ")
        }
    }

    private func pieces(of talk: Talk, seed: UInt64) -> [(text: String, piece: PauseCutter.Piece)] {
        var random = SplitMix64(seed: seed)
        var pieces: [(String, PauseCutter.Piece)] = []
        var (start, overlap) = (0.0, 0.0)
        while start < talk.length {
            let end = start + Double.random(in: 8...25, using: &random)
            let isLast = end >= talk.length - 3
            let range = start..<(isLast ? talk.length : end)
            pieces.append(
                (
                    talk.written((start - overlap)..<range.upperBound),
                    piece(range, overlap: overlap, isLast ? .end : .length)
                ))
            start = range.upperBound
            overlap = Double.random(in: 1.5...2.5, using: &random)
        }
        return pieces
    }

    @Test(arguments: 0..<60 as Range<UInt64>)
    func noWordIsLostOrDoubledAtAnyCut(_ seed: UInt64) {
        let talk = Talk(seed: seed, vocabulary: 900)
        let finals = finals(pieces(of: talk, seed: seed + 1_000))
        #expect(finals.map(\.text).joined(separator: " ") == talk.text)
        #expect(finals.allSatisfy { TextSeam.endsSentence($0.text) && $0.text.first?.isUppercase == true })
        for (result, next) in zip(finals, finals.dropFirst()) {
            #expect(result.range.upperBound <= next.range.lowerBound)
        }
        #expect(finals.first?.range.lowerBound == .zero)
        #expect(finals.last.map { abs($0.range.upperBound / .seconds(1) - talk.length) < 0.001 } == true)
    }

    /// The same words come again and again, so only the length of the overlap tells how many of them come twice.
    @Test(arguments: [
        "In being comparatively modern.", "We are here.", "One zero zero zero two.", "Please call Stella at home.",
    ])
    func aSentenceThatIsSaidAgainAndAgainKeepsItsCountAtAnyCut(_ sentence: String) {
        let talk = Talk(repeating: sentence, count: 60)
        let wrong = (0..<50 as Range<UInt64>).filter { seed in
            let text = finals(pieces(of: talk, seed: seed)).map(\.text).joined(separator: " ")
            return SpokenWord.words(of: text) != SpokenWord.words(of: talk.text)
        }
        #expect(wrong.isEmpty)
    }

    /// Of few different words, a run may match at a wrong place.
    @Test func fewDifferentWordsAreHardlyEverConfused() {
        var wrong = 0
        for seed in 0..<100 as Range<UInt64> {
            let talk = Talk(seed: seed, vocabulary: 30)
            if finals(pieces(of: talk, seed: seed)).map(\.text).joined(separator: " ") != talk.text { wrong += 1 }
        }
        // Each talk has about seven cuts.
        #expect(wrong < 35, "\(wrong) of 100 talks differ")
    }

    // MARK: Results

    @Test(arguments: [("Hello there.", false), ("Hello there.", true), ("Hello there", true)])
    func aPauseMakesTextFinalAtOnce(_ text: String, isLive: Bool) {
        var joiner = PieceJoiner(isLive: isLive)
        let updates = joiner.add(text, of: piece(0..<2))
        #expect(updates.map(\.finalizedThrough) == [.seconds(2), .seconds(2)])
        #expect(updates.first?.finalResult?.text == text)
        #expect(joiner.waiting == nil && joiner.flush().isEmpty)
    }

    @Test func inARecordingASentenceGoesOnAfterALongPause() {
        let texts = [("I play it back into the room", piece(0..<10)), ("Again and again.", piece(14..<16))]
        #expect(finals(texts).map(\.text) == ["I play it back into the room again and again."])
    }

    @Test func inARecordingNoSentenceSpansTheLongestPause() {
        let texts = [("I play it back into the room", piece(0..<10)), ("Again and again.", piece(16..<18))]
        #expect(finals(texts).map(\.text) == texts.map(\.0))
    }

    @Test func aSentenceThatGoesOnWaitsAndIsOneResult() {
        var joiner = PieceJoiner(isLive: false)
        #expect(joiner.add("It is. I went to the old.", of: piece(0..<10, .length)).isEmpty)
        #expect(joiner.waiting?.text == "It is. I went to the old.")
        let part = piece(10..<14, overlap: 2, .end)
        #expect(
            joiner.preview(part.result("To the old house"), overlapStart: part.overlapStart)?.text
                == "It is. I went to the old house")
        let updates = joiner.add("To the old house. It was empty.", of: part)
        #expect(updates.compactMap(\.finalResult).map(\.text) == ["It is. I went to the old house. It was empty."])
        #expect(updates.last == .finalized(through: .seconds(14)))
    }

    @Test func wholeSentencesBeforeACutAreFinalWhenTheNextPieceIsKnown() throws {
        var joiner = PieceJoiner(isLive: false)
        _ = joiner.add("It is late. I went to the old.", of: piece(0..<10, .length))
        let updates = joiner.add("To the old house that I.", of: piece(10..<20, overlap: 2, .length))
        let first = try #require(updates.first?.finalResult)
        #expect(updates.count == 1 && first.text == "It is late.")
        #expect(first.range.lowerBound == .zero && first.range.upperBound < .seconds(5))
        let rest = joiner.flush().compactMap(\.finalResult)
        #expect(rest.map(\.text) == ["I went to the old house that I."])
        #expect(rest.first.map { $0.range == first.range.upperBound..<Duration.seconds(20) } == true)
    }

    @Test func textWithoutFullStopsDoesNotWaitForever() {
        var joiner = PieceJoiner(isLive: false)
        var updates: [SpeechUpdate] = []
        for index in 0..<20 {
            let start = Double(index * 10)
            updates += joiner.add("word\(index) and then", of: piece(start..<start + 10, .length))
        }
        #expect(updates.count > 2)
        #expect(updates.compactMap(\.finalResult).allSatisfy { $0.text.count < 200 })
    }

    @Test func aPieceWithoutTextEndsWhatWaits() {
        var joiner = PieceJoiner(isLive: false)
        _ = joiner.add("I went", of: piece(0..<10, .length))
        var silence = piece(10..<30)
        silence.speech = nil
        let updates = joiner.add("", of: silence)
        #expect(updates.compactMap(\.finalResult).map(\.text) == ["I went"])
        #expect(updates.last == .finalized(through: .seconds(30)))
    }
}

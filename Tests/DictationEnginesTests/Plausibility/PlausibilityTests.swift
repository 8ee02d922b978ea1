import Testing

@testable import DictationEngines

private func repeated(_ phrase: String, _ count: Int) -> String {
    Array(repeating: phrase, count: count).joined(separator: " ")
}

@Suite struct PlausibilityTests {
    @Test(arguments: [
        // Nobody repeats that fast.
        (repeated("Please call Stella.", 5), 2.0),
        (repeated("Please call Stella.", 3), 1.2),
        ("1862, " + repeated("eighteen sixty two", 9), 5.0),
        ("In the year 1862, " + repeated("eighteen sixty-two,", 9), 12.0),
        (repeated("Thank you.", 10), 28.0),
        (repeated("I,", 20), 6.0),
        // The loop is only the end of a text that was really said.
        (
            "And so my fellow Americans, ask not what your country can do for you, "
                + repeated("ask what you can do", 6),
            7.0
        ),
        (repeated("and then the other one", 5), 3.0),
    ])
    func aPhraseThatComesAgainAndAgainIsDoubtful(_ text: String, _ seconds: Double) {
        guard case .repetition = Plausibility(speech: .seconds(seconds)).doubt(about: text) else {
            Issue.record("'\(text)' passes")
            return
        }
    }

    @Test(arguments: [("1-0-0-0-1 90210 ", "0-", 180), ("The sum is ", "0/", 60), ("It was ", "0", 60), ("", "Ha", 50)])
    func aRepetitionInsideAWordIsDoubtful(_ start: String, _ repeated: String, _ count: Int) {
        let text = start + String(repeating: repeated, count: count) + "."
        let phrase = repeated.lowercased().filter { $0.isLetter || $0.isNumber }
        #expect(Plausibility(speech: .seconds(25)).doubt(about: text) == .repetition(of: phrase, count: count))
    }

    @Test(arguments: [
        ("He hoped there would be stew for dinner, turnips and carrots and bruised potatoes.", 1.5),
        ("I am sitting in a room different from the one you are in now.", 1.0),
        ("a b c d e f g h i j k l m n o p q r s t", 2.0),
        ("Incomprehensibilities characteristically counterrevolutionary", 0.9),
    ])
    func moreThanAnyoneCanSayIsDoubtful(_ text: String, _ seconds: Double) {
        #expect(Plausibility(speech: .seconds(seconds)).doubt(about: text) == .tooFast)
    }

    @Test(
        arguments: [
            ("", 2.0, nil), ("", 1.0, 3), ("", 1.0, 2), ("", 0.4, 1), (" … ", 4.0, nil), ("...", 3.0, 6),
            ("Oh.", 5.0, 13),
        ] as [(String, Double, Int?)])
    func nothingWhereThereWasASentenceIsDoubtful(_ text: String, _ seconds: Double, _ heard: Int?) {
        #expect(Plausibility(speech: .seconds(seconds), heardWords: heard).doubt(about: text) == .missing)
    }

    @Test func aRepetitionOfMuchMoreThanAnotherEngineHeardIsDoubtful() {
        let text = repeated("you know what", 6)
        #expect(Plausibility(speech: .seconds(10), heardWords: 19).doubt(about: text) == nil)
        #expect(
            Plausibility(speech: .seconds(10), heardWords: 4).doubt(about: text)
                == .repetition(of: "you know what", count: 6))
    }

    @Test(arguments: [
        (repeated("In being comparatively modern.", 8), 15.2, 32),
        (repeated("In being comparatively modern.", 12), 23, 40),
        (repeated("Modern", 15), 9, 13),
    ])
    func whatAnotherEngineHeardAsOftenIsPlausible(_ text: String, _ seconds: Double, _ heard: Int) {
        #expect(Plausibility(speech: .seconds(seconds), heardWords: heard).doubt(about: text) == nil)
    }

    @Test(arguments: [
        (repeated("and then the other one", 20), 25.0, 60), (repeated("In being comparatively modern.", 12), 23, 20),
        (repeated("In being comparatively modern.", 12), 5, 40),
    ])
    func whatAnotherEngineHeardLessOftenIsDoubtful(_ text: String, _ seconds: Double, _ heard: Int) {
        #expect(Plausibility(speech: .seconds(seconds), heardWords: heard).doubt(about: text) != nil)
    }

    @Test(arguments: [
        ("Very, very, very, very good.", 1.2),
        ("No no no.", 0.4),
        ("No, no, no, no, no, no!", 0.9),
        ("one one one one", 1.0),
        ("1 1 1 1", 1.0),
        ("zero zero zero zero zero zero zero zero zero", 3.2),
        ("one zero zero zero one nine oh two one oh zero one eight zero three", 8.0),
        ("test test test test", 1.4),
        ("ha ha ha ha ha ha ha ha", 1.2),
        ("Half a league, half a league, half a league onward, all in the valley of Death rode the six hundred.", 6.0),
        ("Tomorrow, and tomorrow, and tomorrow, creeps in this petty pace from day to day", 4.8),
        ("Never, never, never, never, never.", 2.2),
        ("To the rolling of the bells, of the bells, bells, bells, bells, bells, bells, bells, bells", 5.0),
        (
            "Row, row, row your boat, gently down the stream. Merrily, merrily, merrily, merrily, life is but a dream. "
                + "Row, row, row your boat, gently down the stream. Merrily, merrily, merrily, merrily, life is but a "
                + "dream.",
            14.0
        ),
        ("again and again and again and again", 1.7),
        // People who speak fast.
        ("hey josh could have finished it he just decided to fail it instead", 2.3),
        ("I don't know what you're on about", 1.1),
        ("yeah", 0.1), ("Absolutely.", 0.3), ("Yes, sir.", 0.2),
        // Numbers are short when they are written with digits.
        ("1,000,000", 0.5), ("1,000,000,000,000", 0.8), ("0-1-8-0-3", 1.4), ("Hmmmmmmmmmmm!", 0.6),
        ("On 24/12/1999 at 10:30 we had $1,250,000.", 5.0),
        (
            "I am recording the sound of my speaking voice and I am going to play it back into the room again and again "
                + "until the resonant frequencies of the room reinforce themselves", 10.0
        ),
        // A click is no speech.
        ("", 0.3), ("", 1.2),
    ])
    func whatPeopleSayIsPlausible(_ text: String, _ seconds: Double) {
        #expect(Plausibility(speech: .seconds(seconds)).doubt(about: text) == nil)
    }

    @Test(arguments: [("", 0), ("Yes.", 6), ("Oh.", 11)])
    func anotherEngineMayHearAFewWordsInNoise(_ text: String, _ heard: Int) {
        #expect(Plausibility(speech: .seconds(4), heardWords: heard).doubt(about: text) == nil)
    }

    @Test(arguments: [Duration.zero, .seconds(-3), .seconds(Int64.max / 4)])
    func everyLengthOfSpeechIsTaken(_ speech: Duration) {
        #expect(Plausibility(speech: speech).doubt(about: "yes") == nil)
        #expect(Plausibility(speech: speech).doubt(about: repeated("yes we can", 100)) != nil)
    }

    @Test func aLongTextIsJudgedAtOnce() {
        let text = repeated("and", 2_000) + " " + repeated("a b c", 2_000)
        #expect(
            Plausibility(speech: .seconds(30)).doubt(about: text) == .repetition(of: "a b c", count: 2_000))
    }
}

@Suite struct SpokenWordTests {
    @Test(arguments: [
        ("Well-known and/or \u{201C}new\u{201D}", "well known and or new"), ("0-0\u{2013}1", "0 0 1"),
        ("Don't: 1,250.50 at 10:30!", "dont 125050 at 1030"), ("... - yes,no.", "yes no"), ("", ""),
        ("no" + String(repeating: "x", count: 17) + "yes", "no " + repeated("x", 17) + " yes"),
        (String(repeating: "x", count: 15), String(repeating: "x", count: 15)),
    ])
    func punctuationAndManyRepetitionsSeparateWords(_ text: String, _ words: String) {
        #expect(SpokenWord.words(of: text).map(\.text).joined(separator: " ") == words)
        #expect(
            SpokenWord.parts(of: text).joined().filter { $0 != " " } == text.filter { $0 != " " }, "nothing is lost")
    }
}

@Suite struct RepetitionTests {
    private func found(_ text: String) -> Repetition? { Repetition(in: SpokenWord.words(of: text)) }

    @Test(arguments: [
        ("Please call Stella. Please call Stella. PLEASE, call Stella!", "please call stella", 3),
        ("so no no no no no no no good", "no", 7),
        ("one two one two one two one", "one two", 3),
        ("well one two one two one two one two one two", "one two", 5),
    ])
    func theShortestPhraseThatCoversTheMostIsFound(_ text: String, _ phrase: String, _ count: Int) {
        let repetition = found(text)
        #expect(repetition?.phrase.map(\.text).joined(separator: " ") == phrase)
        #expect(repetition?.count == count)
    }

    @Test(arguments: [
        "", "word", "no no no", "again and again and again", "half a league half a league onward",
        "one two three four five six seven eight nine ten",
    ])
    func aTextWithoutThreeInARowHasNone(_ text: String) {
        #expect(found(text) == nil)
    }
}

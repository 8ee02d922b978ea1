import DictationCore
import DictationTesting
import Testing

@testable import DictationText

@Suite struct ProcessorTests {
    // MARK: Times and results

    /// Returns a result whose words take a second each.
    private func said(_ text: String, from start: Int = 0) -> SpeechResult {
        let words = text.split(separator: " ").enumerated().map { index, word in
            SpeechResult.Word(
                String(word), range: .seconds(start + index)..<(.seconds(start + index + 1)), confidence: 0.5)
        }
        return SpokenText.result(words)
    }

    @Test func aNumberHasTheTimeOfItsWordsAndTheLowestConfidence() {
        var result = said("i counted twenty three cats")
        result.words[2].confidence = 0.9
        result.words[3].confidence = 0.2
        let written = Transcript(segments: [result]).processed(by: [SpokenNumbers()])
        #expect(written.words.map(\.text) == ["i", "counted", "23", "cats"])
        #expect(written.words[2].range == .seconds(2)..<(.seconds(4)))
        #expect(written.words[2].confidence == 0.2)
    }

    @Test func aNumberThatGoesOnInTheNextResultIsOneNumber() {
        var processing = TextProcessorChain([SpokenNumbers()])
        #expect(processing.add(said("room twenty")).isEmpty)
        #expect(processing.preview().map(\.text) == ["room 20"])
        #expect(processing.preview([said("three", from: 2)]).map(\.text) == ["room 23"])
        #expect(processing.add(said("three is", from: 2)).isEmpty)
        #expect(processing.add(said("free", from: 4)).map(\.text) == ["room 23 is"])
        #expect(processing.finish().map(\.text) == ["free"])
    }

    @Test func aParagraphIsAResultThatBeginsWithTwoLineEnds() {
        let written = Transcript(segments: [said("one comma new paragraph two new line cats")])
            .processed(by: [SpokenPunctuation()])
        #expect(written.segments.map(\.text) == ["One,", "\n\nTwo", "\nCats"])
        #expect(written.segments.map(\.range.lowerBound) == [.zero, .seconds(2), .seconds(5)])
    }

    @Test func aMarkBelongsToTheWordBeforeIt() {
        let written = Transcript(segments: [said("hello"), said("comma world", from: 1)])
            .processed(by: [SpokenPunctuation()])
        #expect(written.segments.map(\.text) == ["Hello, world"])
        #expect(written.words.map(\.text) == ["Hello,", "world"])
        #expect(written.words[0].range == .zero..<(.seconds(2)))
    }

    @Test func resultsWithoutWordTimesStayWithoutThem() {
        let result = SpeechResult(range: .zero..<(.seconds(4)), text: "one new line twenty three")
        let written = Transcript(segments: [result]).processed(by: [SpokenPunctuation(), SpokenNumbers()])
        #expect(written.segments.map(\.text) == ["One", "\n23"])
        #expect(written.words.isEmpty)
        #expect(written.segments[0].range.upperBound <= written.segments[1].range.lowerBound)
        #expect(written.segments[1].range.upperBound == .seconds(4))
    }

    @Test func whatAnEngineDoubtsOrDidNotFinishStaysMarked() {
        var first = said("twenty")
        first.isDoubtful = true
        var second = said("three", from: 1)
        second.isComplete = false
        second.alternatives = [.init("free")]
        let last = said("cats", from: 2)
        let written = Transcript(segments: [first, second, last]).processed(by: [SpokenNumbers()])
        #expect(written.segments.map(\.text) == ["23", "cats"])
        #expect(written.segments.map(\.isDoubtful) == [true, false])
        #expect(written.segments.map(\.isComplete) == [false, true])
    }

    @Test func alternativesStayWithAResultOfItsOwn() {
        var result = said("hello world")
        result.alternatives = [.init("hollow world")]
        let written = Transcript(segments: [result, said("cats", from: 2)]).processed(by: [SpokenNumbers()])
        #expect(written.segments.map(\.alternatives) == [result.alternatives, []])
    }

    @Test func aSpeakerKeepsWhatTheSpeakerSaid() {
        var first = said("room twenty")
        first.speaker = "Ann"
        var second = said("three cats", from: 2)
        second.speaker = "Bob"
        let written = Transcript(segments: [first, second]).processed(by: [SpokenNumbers()])
        #expect(written.segments.map(\.text) == ["room 20", "three cats"])
        #expect(written.segments.map(\.speaker) == ["Ann", "Bob"])
    }

    @Test func chineseGetsNoSpaces() {
        let words = ["你", "好", "世"].enumerated().map { index, word in
            SpeechResult.Word(word, range: .seconds(index)..<(.seconds(index + 1)))
        }
        let first = SpeechResult(range: .zero..<(.seconds(3)), text: "你好，世", words: words)
        let second = SpeechResult(range: .seconds(3)..<(.seconds(4)), text: "界。")
        let written = Transcript(segments: [first, second], locale: "zh-CN").processed(by: [FillerRemoval()])
        #expect(written.text == "你好，世界。")
        #expect(written.segments.count == 2)
        #expect(written.words.map(\.text) == ["你", "好，", "世"])
    }

    // MARK: Vocabulary

    @Test(arguments: [
        ("i called siobhan", "i called Siobhan"), ("my mac book pro", "my MacBook Pro"),
        ("my mac book", "my MacBook"), ("use swift dictation, please", "use swift-dictation, please"),
        ("SEVEN eleven is open", "Seven Eleven is open"), ("in c plus plus", "in C++"), ("dot net", ".NET"),
        ("mac", "mac"), ("siobhan's", "Siobhan's"), ("Siobhan", "Siobhan"),
        ("SIOBHAN’S mac book's lid", "Siobhan’S MacBook's lid"), ("dot net's", ".NET's"),
        ("c plus plus's", "c plus plus's"), ("siobhans", "siobhans"),
    ])
    func aVocabularyWritesItsPhrases(_ spoken: String, _ expected: String) throws {
        let vocabulary = try WrittenVocabulary(
            parsing: """
                # names
                Siobhan
                mac book -> MacBook
                mac book pro -> MacBook Pro

                swift dictation -> swift-dictation
                Seven Eleven
                c plus plus -> C++
                dot net -> .NET
                """)
        #expect(
            written(spoken, by: [vocabulary, SpokenPunctuation(capitalizesStart: false), SpokenNumbers()]) == expected)
    }

    @Test(arguments: [("a\n-> b", 2), ("# c\n\na -> ", 3), ("a -> b -> c", 1), ("->", 1)])
    func anErrorOfAVocabularyNamesItsLine(_ text: String, _ line: Int) {
        let error = #expect(throws: DictationError.self) { try WrittenVocabulary(parsing: text) }
        #expect(error?.code == .invalidInput)
        #expect(error?.message.hasPrefix("Line \(line) ") == true)
    }

    @Test func aVocabularyIsAlsoWhatAnEngineExpects() throws {
        let vocabulary = try WrittenVocabulary(parsing: "Siobhan\r\nmac book -> MacBook\nsiobhan\n")
        #expect(vocabulary.contextualStrings.map(\.text) == ["Siobhan", "mac book"])
    }

    @Test func ofTwoEntriesForAPhraseTheLaterCounts() throws {
        #expect(written("siobhan", by: [try WrittenVocabulary(parsing: "SIOBHAN\nSiobhan")]) == "Siobhan")
    }

    @Test func wordsOfAReplacementShareTheTimeOfThePhrase() throws {
        let written = Transcript(segments: [said("see mac book pro")])
            .processed(by: [try WrittenVocabulary(parsing: "mac book pro -> MacBook Pro")])
        #expect(written.words.map(\.text) == ["see", "MacBook", "Pro"])
        #expect(written.words[1].range?.lowerBound == .seconds(1))
        #expect(written.words[1].range?.upperBound == written.words[2].range?.lowerBound)
        #expect(written.words[2].range?.upperBound == .seconds(4))
    }

    @Test func aPossessiveOfItsOwnCounts() throws {
        let vocabulary = try WrittenVocabulary(parsing: "mcdonald's -> McDonald’s\nmcdonald -> MacDonald")
        #expect(written("mcdonald's and mcdonald", by: [vocabulary]) == "McDonald’s and MacDonald")
    }

    // MARK: Fillers

    @Test(arguments: [
        ("um i think", "i think"), ("Um, I think", "I think"), ("Um so we go", "So we go"),
        ("well, um, I think", "well, I think"), ("well um, I think", "well I think"),
        ("well, um I think", "well, I think"), ("I think, um.", "I think."), ("I think um", "I think"),
        ("I think. Um. Yes.", "I think. Yes."), ("um uh er", ""), ("Um, uh, so, er, yes", "So, yes"),
        ("album", "album"), ("yes, no", "yes, no"), ("I think,", "I think,"),
    ])
    func soundsOfThinkingAreRemoved(_ spoken: String, _ expected: String) {
        #expect(written(spoken, by: [FillerRemoval()]) == expected)
    }

    // MARK: Undo

    /// Returns a text with the pause of a second at each `|`.
    private func paused(_ text: String) -> Transcript {
        var time = Duration.zero
        var words: [SpeechResult.Word] = []
        for word in text.split(separator: " ") {
            if word == "|" {
                time += .seconds(1)
            } else {
                words.append(.init(String(word), range: time..<(time + .milliseconds(300))))
                time += .milliseconds(320)
            }
        }
        return Transcript(segments: [SpokenText.result(words)])
    }

    @Test(arguments: [
        ("see you tomorrow scratch that see you on friday", "see you on friday"),
        ("see you tomorrow | scratch that | see you on friday", "see you on friday"),
        ("i am here | see you tomorrow | scratch that | goodbye", "i am here goodbye"),
        ("i am here | see you scratch that goodbye", "i am here goodbye"),
        ("I am here. See you. Scratch that. Goodbye.", "I am here. Goodbye."),
        ("scratch that", ""), ("scratch that hello", "hello"), ("hello | scratch that", ""),
        ("i had to scratch that itch", "i had to scratch that itch"), ("don't undo that", "don't undo that"),
        ("hand it to scratch that | hello", "hand it to scratch that hello"), ("go to | scratch that | hello", "hello"),
        ("do not scratch the table", "do not scratch the table"), ("hello scratch", "hello scratch"),
        ("one | two | scratch that | scratch that", "one"), ("See you. | Scratch that | bye", "Bye"),
    ])
    func scratchThatRemovesTheLastPhrase(_ spoken: String, _ expected: String) {
        #expect(paused(spoken).processed(by: [SpokenUndo()]).text == expected)
    }

    @Test(arguments: [
        ("one | new paragraph | scratch that | a", "One a"), ("one | comma two | scratch that | three", "One three"),
        ("one comma | two | scratch that | three", "One, three"),
        ("one open quote | two | scratch that | three close quote", "One “three”"),
        ("one | hyphen | scratch that | three", "One three"), ("one | period | scratch that | three", "One three"),
        ("one period | open quote | scratch that | three", "One. Three"),
        ("one period | open quote two | scratch that | three", "One. Three"),
        ("one period open quote | two | scratch that | three", "One. “Three"),
    ])
    func marksThatWereSaidAreUndoneLikeWords(_ spoken: String, _ expected: String) {
        #expect(paused(spoken).processed(by: [SpokenPunctuation(), SpokenUndo()]).text == expected)
    }

    // MARK: Paragraphs

    @Test(arguments: [
        ("One. | | Two.", "One.\n\nTwo."), ("One. | Two.", "One. Two."), ("One, | | two.", "One, two."),
        ("one | | two", "one\n\ntwo"), ("One. Two | | three.", "One. Two three."),
    ])
    func aLongPauseBeginsAParagraph(_ spoken: String, _ expected: String) {
        #expect(paused(spoken).processed(by: [PauseParagraphs(pause: .seconds(2))]).text == expected)
    }

    /// What is removed was said, so its time is no pause. The pauses beside it still are.
    @Test(arguments: [
        ("One. A long mistake of many words that takes time scratch that Two.", "One. Two."),
        ("One. | | A mistake scratch that Two.", "One.\n\nTwo."),
        ("One. | um | Two.", "One.\n\nTwo."), ("One. um um um um um um um um um Two.", "One. Two."),
    ])
    func aPauseIsSilence(_ spoken: String, _ expected: String) {
        let processors: [any TextProcessor] = [SpokenUndo(), FillerRemoval(), PauseParagraphs(pause: .seconds(2))]
        #expect(paused(spoken).processed(by: processors).text == expected)
    }

    /// Some engines time the words and not the marks between them.
    @Test(arguments: [
        ("One. Two.", "One.\n\nTwo."), ("One. “Two.”", "One.\n\n“Two.”"), ("“One.” Two.", "“One.”\n\nTwo."),
    ])
    func aMarkFillsNoPause(_ text: String, _ expected: String) {
        let words = [("One", 0), ("Two", 5)].map {
            SpeechResult.Word($0.0, range: .seconds($0.1)..<(.seconds($0.1 + 1)))
        }
        let result = SpeechResult(range: .zero..<(.seconds(8)), text: text, words: words)
        #expect(Transcript(segments: [result]).processed(by: [PauseParagraphs()]).text == expected)
    }

    @Test func aLongParagraphEndsWithItsSentence() {
        let text = String(repeating: "one two three. ", count: 6).trimmed
        let written = paused(text).processed(by: [PauseParagraphs(maximumWords: 7)])
        #expect(written.segments.map { $0.text.split(separator: " ").count } == [9, 9])
    }

    // MARK: Other languages

    @Test func everyBuiltInTableCanBeRead() throws {
        for (language, text) in SpokenPunctuation.Marks.builtIn {
            _ = try SpokenPunctuation.Marks(parsing: text)
            #expect(SpokenPunctuation.Marks(SpeechLocale(language)) != nil)
        }
        for text in SpokenNumbers.Words.builtIn.values { _ = try SpokenNumbers.Words(parsing: text) }
        #expect(SpokenPunctuation.Marks.languages == ["de", "en", "es", "fr"])
        #expect(SpokenNumbers.Words.languages == ["en"])
        #expect(SpokenPunctuation.Marks("tlh") == nil && SpokenNumbers.Words("de") == nil)
    }

    @Test(arguments: [
        ("de-DE", "hallo komma welt punkt neue zeile gut", "Hallo, welt.\nGut"),
        ("de-DE", "der punkt ist wichtig", "Der punkt ist wichtig"),
        ("es-ES", "abrir interrogación qué tal cerrar interrogación", "¿Qué tal?"),
        ("fr-FR", "bonjour virgule monde", "Bonjour, monde"),
    ])
    func marksOfOtherLanguagesAreWritten(_ locale: SpeechLocale, _ spoken: String, _ expected: String) throws {
        #expect(
            written(spoken, by: [SpokenPunctuation(try #require(SpokenPunctuation.Marks(locale)))], locale: locale)
                == expected)
    }

    @Test(arguments: [
        ("treinta y cinco", "35"), ("veinte", "20"), ("dos mil veinte", "2020"), ("treinta coma cinco", "30,5"),
        ("cinco gatos y tres perros", "cinco gatos y tres perros"),
        ("treinta mil", "30.000"),
    ])
    func anotherLanguageBringsItsNumbers(_ spoken: String, _ expected: String) throws {
        let spanish = try SpokenNumbers.Words(
            parsing: """
                number 1 uno, una
                number 2 dos
                number 3 tres
                number 5 cinco
                number 20 veinte
                number 30 treinta
                link y
                scale 1000 mil
                point coma
                format , .
                """)
        #expect(written(spoken, by: [SpokenNumbers(spanish)], locale: "es-ES") == expected)
    }

    @Test(arguments: ["virgola ,", "previous ,", "# x\nsentence", "previous , ,"])
    func anErrorOfATableOfMarksNamesItsLine(_ text: String) {
        let error = #expect(throws: DictationError.self) { try SpokenPunctuation.Marks(parsing: text) }
        #expect(error?.message.contains("Line \(text.hasPrefix("#") ? 2 : 1) ") == true)
    }

    @Test(arguments: [
        "number x one", "number 100 cent", "numbr 1 one", "number 1", "phone a", "format ,", "currency 5 x",
    ])
    func anErrorOfATableOfNumbersNamesItsLine(_ text: String) {
        let error = #expect(throws: DictationError.self) { try SpokenNumbers.Words(parsing: text) }
        #expect(error?.message.contains("Line 1 ") == true)
    }
}

#if PocketSphinx
import DictationCore
import DictationEngines
import Foundation
import Testing

@Suite(.serialized) struct SphinxModesTests {
    let engine = Sphinx.engine

    private func error(_ change: (inout RecognitionOptions) -> Void) async -> DictationError? {
        do {
            _ = try await engine.makeSession(Sphinx.options(change))
            return nil
        } catch { return error }
    }

    // MARK: Grammars

    private let commands = RecognitionTask.Grammar(
        jsgf: """
            #JSGF V1.0;
            grammar commands;
            public <command> = <action> <direction> <distance> [meters | meter];
            <action> = GO | stop;
            <direction> = forward | backward;
            <distance> = one | two | five | ten;
            """)

    @Test func aGrammarGivesItsSentences() async throws {
        let results = try await engine.results(
            buffers(quiet(1) + Speech.goForward.samples() + quiet(1)),
            Sphinx.options {
                $0.task = .grammar(commands)
                $0.wordTimes = true
                $0.wordConfidence = true
            })
        #expect(results.heardText == "go forward ten meters")
        // PocketSphinx works out no probability here; an invented one would be worse than none.
        #expect(results.words.allSatisfy { $0.confidence == nil })
        let first = try #require(results.words.first?.range)
        #expect(first.lowerBound > .seconds(1))
    }

    @Test func cardsAreUnderstoodByTheirGrammar() async throws {
        let numbers = "two | three | four | five | six | seven | eight | nine | ten | jack | queen | king | ace"
        let grammar = RecognitionTask.Grammar(
            jsgf: "public <cards> = <card>+; <card> = (\(numbers)) [of (clubs | hearts | spades | diamonds)];")
        for card in [Speech.cards[0], Speech.cards[2]] {
            let text = try await engine.text(
                buffers(card.samples()), Sphinx.options { $0.task = .grammar(grammar) })
            #expect(text.hasSuffix("of clubs"), "\(text)")
        }
    }

    @Test func anUnknownWordOfAGrammarIsNamedWithItsLine() async throws {
        let error = await error {
            $0.task = .grammar(RecognitionTask.Grammar(jsgf: "grammar g;\npublic <a> = go\n| xyzzyx;"))
        }
        #expect(error?.code == .invalidInput)
        #expect(error?.message.contains("xyzzyx") == true)
        #expect(error?.message.contains("line 3") == true)
    }

    @Test func aBadGrammarThrowsFromTheEngine() async throws {
        let error = await error { $0.task = .grammar(RecognitionTask.Grammar(jsgf: "public <a> = <a> go | go;")) }
        #expect(error?.code == .invalidInput)
    }

    // MARK: Keyphrases

    @Test func keyphrasesAreSpottedWhereTheyAreSaid() async throws {
        let options = Sphinx.options {
            $0.task = .keyphrases([RecognitionTask.Keyphrase("forward", sensitivity: 0.8), "rather cold hearted"])
            $0.wordTimes = true
        }
        let samples =
            quiet(1) + (try Speech.goForward.samples()) + quiet(2) + (try Speech.unless.samples()) + quiet(1)
        let finals = try await engine.results(buffers(samples), options).finals
        let forward = try #require(
            finals.first { $0.text == "forward" }?.range, "\(finals.map { ($0.text, $0.range) })")
        #expect(forward.lowerBound > .milliseconds(1_200) && forward.upperBound < .milliseconds(2_500))
        let second = try #require(finals.first { $0.text == "rather cold hearted" }?.range)
        let gap = AudioFormat.speech.duration(
            ofFrames: Int64(quiet(3).count + (try Speech.goForward.samples()).count))
        #expect(second.lowerBound > gap)
    }

    @Test func whatIsNotSaidIsNotSpotted() async throws {
        let samples = quiet(1) + (try Speech.dashwood.samples()) + quiet(1)
        let options = Sphinx.options { $0.task = .keyphrases(["oh mighty computer"]) }
        #expect(try await engine.text(buffers(samples), options) == "")
    }

    @Test(arguments: [
        ([RecognitionTask.Keyphrase("hey xyzzyx")], "xyzzyx"), ([RecognitionTask.Keyphrase("")], "no words"),
        ([], "no keyphrases"),
        ([RecognitionTask.Keyphrase("  ")], "no words"),
        ([RecognitionTask.Keyphrase("hello", sensitivity: 2)], "sensitivity"),
        ([RecognitionTask.Keyphrase("hello", sensitivity: .nan)], "sensitivity"),
        ([RecognitionTask.Keyphrase("hello"), RecognitionTask.Keyphrase("Hello")], "twice"),
    ]) func badKeyphrasesAreRefused(phrases: [RecognitionTask.Keyphrase], naming: String) async throws {
        let error = await error { $0.task = .keyphrases(phrases) }
        #expect(error?.code == .invalidInput)
        #expect(error?.message.contains(naming) == true, "\(error?.message ?? "")")
    }

    // MARK: Alignment

    @Test func aKnownTextGetsItsTimes() async throws {
        let samples = quiet(1) + (try Speech.goForward.samples()) + quiet(3) + (try Speech.ill.samples())
        let results = try await engine.results(
            buffers(samples),
            Sphinx.options {
                $0.task = .alignment("Go forward ten meters.\nHe was not an ill disposed young man.")
                $0.wordTimes = true
            })
        let words = results.words
        #expect(
            words.map(\.text)
                == (Speech.goForward.text + " " + Speech.ill.text).split(separator: " ").map(String.init))
        let free = try await engine.results(
            buffers(quiet(1) + Speech.goForward.samples()), Sphinx.options { $0.wordTimes = true }
        ).words
        for (aligned, heard) in zip(words, free) {
            let a = try #require(aligned.range)
            let b = try #require(heard.range)
            #expect(abs((a.lowerBound - b.lowerBound) / .milliseconds(1)) <= 150)
        }
        let he = try #require(words[4].range)
        #expect(he.lowerBound > .seconds(6))
    }

    @Test func anUnknownWordOfATextIsNamedWithItsLine() async throws {
        let error = await error { $0.task = .alignment("go forward\nten xyzzyx") }
        #expect(error?.message.contains("xyzzyx") == true)
        #expect(error?.message.contains("line 2") == true)
        #expect(await self.error { $0.task = .alignment(" . ") }?.code == .invalidInput)
    }

    // MARK: Contextual strings

    @Test func aNewWordIsHeardAndItsGuessReported() async throws {
        // "dashwood" is in no dictionary under this spelling.
        let options = Sphinx.options {
            $0.contextualStrings = [
                RecognitionOptions.ContextualString("Dashwoode", pronunciation: "D AE SH W UH D"),
                "mister john Dashwoode",
            ]
        }
        #expect(try engine.addedPronunciations(for: options).map(\.isGuess) == [false])
        let text = try await engine.text(buffers(Speech.dashwood.samples()), options)
        #expect(text.contains("Dashwoode"), "\(text)")
        let guessed = Sphinx.options { $0.contextualStrings = ["Zanzibarian"] }
        let added = try engine.addedPronunciations(for: guessed)
        #expect(added.map(\.word) == ["Zanzibarian"])
        #expect(added.map(\.isGuess) == [true])
        #expect(added.first?.phones.isEmpty == false)
    }

    @Test(arguments: [
        (RecognitionOptions.ContextualString("new", pronunciation: "X Y"), "X"),
        (RecognitionOptions.ContextualString("two words", pronunciation: "T UW"), "several"),
        (RecognitionOptions.ContextualString("naïveté123"), "guessed"),
        (RecognitionOptions.ContextualString("go", pronunciation: ""), "phones"),
        (RecognitionOptions.ContextualString("go", weight: -1), "weight"),
        (RecognitionOptions.ContextualString("a(b", pronunciation: "AH B"), "punctuation"),
    ]) func badContextualStringsAreRefused(string: RecognitionOptions.ContextualString, naming: String) async throws {
        let error = await error { $0.contextualStrings = [string] }
        #expect(error?.code == .invalidInput)
        #expect("\(error.map(String.init(describing:)) ?? "")".contains(naming), "\(String(describing: error))")
    }
}

extension SphinxModesTests {
    /// What takes too long for everyday runs.
    @Suite struct ProofTests {
        let engine = Sphinx.engine

        @Test func aPhraseOfKnownWordsBecomesLikelier() async throws {
            let audio = buffers(try Speech.unless.samples())
            let plain = try await engine.text(audio, Sphinx.options())
            let helped = try await engine.text(
                audio, Sphinx.options { $0.contextualStrings = ["to be ill disposed", "unless to be"] })
            #expect(!plain.contains("ill disposed"))
            #expect(helped.contains("ill disposed"), "\(helped)")
            let weightless = try await engine.text(
                audio,
                Sphinx.options {
                    $0.contextualStrings = [RecognitionOptions.ContextualString("to be ill disposed", weight: 0)]
                })
            #expect(weightless == plain)
        }
    }
}
#endif

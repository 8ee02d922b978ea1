import DictationCore
import Testing

@testable import DictationText

/// What people really say, as a table: the processors, what is said, and what is written.
@Suite struct SurfaceWritingTests {
    @Test(arguments: [
        ("call eight hundred five five five one two one two", "call 800 555-1212"),
        ("one eight hundred five five five one two one two", "one 800 555-1212"),
        ("room one hundred five", "room 105"), ("two hundred five two hundred six", "205 206"),
        ("we met at three p.m. then we left", "we met at 3 PM then we left"),
    ])
    func numbersSideBySideStayApart(_ spoken: String, _ expected: String) {
        #expect(written(spoken, by: [SpokenNumbers()]) == expected)
    }

    @Test(arguments: [
        ("we met at three p.m. period then we left", "We met at 3 PM. Then we left"),
        ("at five a.m. comma they said", "At 5 AM, they said"),
        ("um comma hello", "Hello"), ("hello um comma world", "Hello, world"),
        ("hello comma um comma world", "Hello, world"),
        ("hello um period bye", "Hello. Bye"),
    ])
    func aMarkThatWasSaidIsNeverLost(_ spoken: String, _ expected: String) {
        #expect(written(spoken, by: [SpokenPunctuation(), SpokenNumbers(), FillerRemoval()]) == expected)
    }

    @Test(arguments: [
        ("e.g. comma this", "E.g., this"), ("in the U.S. comma he", "In the U.S., he"),
        ("in the U.S. period he", "In the U.S. He"), ("the U.S. question mark", "The U.S.?"),
        ("hello semi-colon world", "Hello; world"),
    ])
    func theMarksOfAbbreviationsStay(_ spoken: String, _ expected: String) {
        #expect(written(spoken, by: [SpokenPunctuation()]) == expected)
    }

    @Test(arguments: [
        ("fr-FR", "ça va point d'interrogation oui", "Ça va? Oui"), ("fr-FR", "ça va point d’exclamation", "Ça va!"),
        ("fr-FR", "voici deux points oui point virgule non", "Voici: oui; non"),
        ("fr-FR", "il dit ouvrez les guillemets oui fermez les guillemets", "Il dit «oui»"),
        ("es-ES", "abre interrogación qué tal cierra interrogación", "¿Qué tal?"),
    ])
    func marksHaveTheirUsualNames(_ locale: SpeechLocale, _ spoken: String, _ expected: String) throws {
        #expect(
            written(spoken, by: [SpokenPunctuation(try #require(SpokenPunctuation.Marks(locale)))], locale: locale)
                == expected)
    }

    @Test(arguments: [
        ("\"Um, yes\"", "\"Yes\""), ("(um, yes)", "(yes)"), ("she went to the ER today", "she went to the ER today"),
        ("UM I THINK UH YES", "I THINK YES"), ("10 mm thick", "10 mm thick"), ("ten um cats", "ten cats"),
        ("yes; um; no", "yes; no"), ("yes, MM, no", "yes, MM, no"),
    ])
    func onlySoundsAreRemoved(_ spoken: String, _ expected: String) {
        #expect(written(spoken, by: [FillerRemoval()]) == expected)
    }

    @Test(arguments: [SpokenUndo(), SpokenUndo(pause: .zero)]) func nothingIsLeftToUndoAtTheBeginning(
        _ undo: SpokenUndo
    ) {
        for spoken in ["scratch that", "scratch that scratch that", "Scratch that. Strike that."] {
            #expect(written(spoken, by: [undo]).isEmpty)
        }
        #expect(written("scratch that hello", by: [undo]) == "hello")
    }
}

import DictationCore
import DictationText
import Foundation
import TestSupport
import Testing

@testable import DictationDesktop
@testable import DictationService

/// Settings as people write them, right and wrong.
@Suite struct SettingsReadingTests {
    private func settings(_ text: String) throws(DictationError) -> ServiceSettings {
        try ServiceSettings(parsing: Array(text.utf8), path: "settings.json5")
    }

    /// Whoever copies the example of the manual has a service.
    @Test func theExampleOfTheManualIsRead() throws {
        let path = URL(filePath: #filePath).appending(path: "../../../../Docs/dictate.md").standardized
        let manual = try String(contentsOf: path, encoding: .utf8)
        let blocks = manual.components(separatedBy: "```json5\n").dropFirst().compactMap {
            $0.components(separatedBy: "\n```").first
        }
        #expect(!blocks.isEmpty)
        for block in blocks where block.hasPrefix("{") { _ = try settings(block) }
    }

    @Test func commentsAndTrailingCommasAreRead() throws {
        let settings = try settings(
            """
            // What I say.
            {
              language: 'de-DE', /* not English */
              "text": { numbers: false, spokenPunctuation: true, },
              context: ["Grüße", "a \\"quoted\\" word"],
              stopAfterSilence: 1.5,
              keepMicrophoneOpen: null,
              unloadModelAfter: 0x3C,
              keepTexts: +5,
              profiles: {
                english: { language: "en-US", destination: "window" },
                "notes-2": { text: { numbers: true }, stopAfterSilence: null },
              },
            }
            """)
        #expect(
            settings.usual.language == "de-DE" && settings.usual.text.spokenPunctuation && !settings.usual.text.numbers)
        #expect(settings.usual.context == ["Grüße", "a \"quoted\" word"])
        #expect(settings.usual.endingSilence == .milliseconds(1_500) && settings.microphoneIdleTime == nil)
        #expect(settings.modelIdleTime == .seconds(60) && settings.keptTexts == 5)
        let (english, notes) = (settings.profiles["english"], settings.profiles["notes-2"])
        #expect(english?.language == "en-US" && english?.destination == "window")
        // A profile has what it does not change from the usual settings.
        #expect(english?.text.spokenPunctuation == true && english?.endingSilence == .milliseconds(1_500))
        #expect(notes?.language == "de-DE" && notes?.text.numbers == true && notes?.endingSilence == nil)
    }

    @Test(arguments: ["{}", "{ }", "\u{FEFF}{}", "// only\n{/**/}//"]) func emptySettingsAreTheUsualOnes(text: String)
        throws
    {
        #expect(try settings(text) == ServiceSettings())
    }

    @Test(
        arguments: [
            ("{\n  langauge: \"de-DE\",\n}", 2, "no setting “langauge”"),
            ("{\n\n  engine: 7,\n}", 3, "“engine” needs a text"),
            ("{ text: {\n number: true } }", 2, "no setting “text.number”"),
            ("{ text: true }", 1, "“text” needs an object"),
            ("{\n  priority: \"fast\",\n}", 2, "\"speed\", \"balanced\", \"accuracy\""),
            ("{\n  language: \"Deutsch, bitte\",\n}", 2, "language tag"),
            ("{\n  stopAfterSilence: -1 }", 2, "seconds from"),
            ("{\n  stopAfterSilence: NaN }", 2, "seconds from"),
            ("{\n  keepTexts: 1.5 }", 2, "whole number"),
            ("{\n  keepTexts: 1e400 }", 2, "“keepTexts”"),
            ("{\n  context: [\"a\", 1] }", 2, "list of texts"),
            ("{\n  engine: \"a\",\n  engine: \"b\" }", 3, "“engine” is there twice"),
            ("{\n  engine: \"a\"\n  model: \"b\" }", 3, "a comma or “}” is missing"),
            ("{\n  engine \"a\" }", 2, "a colon is missing"),
            ("{\n  engine: \"a }\n", 2, "no closing quote"),
            ("{\n  engine: \"\\u12\" }", 2, "can't be read"),
            ("{\n  engine: maybe }", 2, "can't be read"),
            ("{\n  /* engine: 7 }\n", 2, "comment has no end"),
            ("{\n  engine: \"a\",\n", 3, "name is missing"),
            ("{\n  2nd: 1 }", 2, "needs quotes"),
            ("{}\n{}", 2, "nothing may follow"),
            ("[\n]", 1, "begin with “{”"), ("", 1, "value is missing"), ("\n\n\"text\"", 3, "begin with “{”"),
            ("{\n  profiles: {\n    a: { keepTexts: 1 } } }", 3, "no setting “keepTexts”"),
            ("{\n  profiles: {\n    \"../a\": { } } }", 3, "name of a profile"),
            ("{\n  profiles: {\n    \"\": { } } }", 3, "name of a profile"),
            ("{\n  profiles: {\n    a: 1 } }", 3, "profile begins with"),
            ("{\n  profiles: [] }", 2, "“profiles” needs"),
            ("{\n  engine: " + String(repeating: "[", count: 100_000), 2, "too deep"),
            ("{\r\n  engine: \"a\",\r\n  oops: 1,\r\n}", 3, "no setting “oops”"),
        ]) func anErrorNamesItsLine(text: String, line: Int, words: String) async throws
    {
        let error = try #require(await error { _ = try settings(text) })
        #expect(error.code == .invalidInput && error.recovery != nil)
        #expect(error.message.hasPrefix("Line \(line) of “settings.json5”: "), "\(error)")
        #expect(error.message.contains(words), "\(error)")
    }

    @Test func adjustedSettingsReachTheProfilesThatDoNotChangeThem() throws {
        let text = "{ engine: \"a\", profiles: { x: {}, y: { engine: \"c\" } } }"
        let settings = try ServiceSettings(parsing: Array(text.utf8), path: "p") { $0.usual.engine = "b" }
        #expect(settings.usual.engine == "b" && settings.profiles["x"]?.engine == "b")
        #expect(settings.profiles["y"]?.engine == "c")
    }

    @Test func eachSettingIsListedOnceWithItsValue() throws {
        let entries = try settings("{ text: { undo: true }, profiles: { a: { engine: \"x\" } } }").entries
        let values = Dictionary(uniqueKeysWithValues: entries.map { ($0.name, $0.value) })
        #expect(values["text.undo"] == "true" && values["language"] == "en-US" && values["engine"] == "null")
        #expect(values["profiles.a.engine"] == "x" && values["profiles.a.text.undo"] == "true")
        #expect(values["keepMicrophoneOpen"] == "30" && values["context"] == "[]")
        #expect(entries.allSatisfy { $0.summary.hasSuffix(".") })
    }
}

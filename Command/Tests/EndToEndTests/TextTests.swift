import Foundation
import Testing

/// Tests of the options that turn recognized text into written text.
@Suite struct TextTests {
    /// A script in which words are spoken in several finals.
    private func script(_ finals: [String], in folder: Folder) throws -> String {
        let steps = finals.enumerated().map { index, text in
            let words = text.split(separator: " ").enumerated().map { number, word in
                let start = Double(index) + Double(number) * 0.1
                return ["text": String(word), "from": start, "to": start + 0.1] as [String: Any]
            }
            return ["final": text, "from": index, "at": index + 1, "words": words] as [String: Any]
        }
        let data = try JSONSerialization.data(withJSONObject: ["version": 1, "steps": steps] as [String: Any])
        try data.write(to: URL(filePath: folder.file("script.json")))
        return folder.file("script.json")
    }

    private func transcribe(
        _ finals: [String], _ options: [String], in folder: Folder, environment: [String: String] = [:]
    ) async throws -> Outcome {
        try await Program.run(
            [
                "transcribe", try folder.tone(seconds: Double(finals.count) + 0.5), "--script",
                try script(finals, in: folder),
            ]
                + options, environment: environment)
    }

    @Test func theOptionsOfTheTextWorkTogether() async throws {
        let folder = try Folder()
        try Data("# names\nsiobhan -> Siobhan\n".utf8).write(to: URL(filePath: folder.file("names")))
        let outcome = try await transcribe(
            [
                "um dear siobhan comma i owe you twenty", "three dollars period new paragraph",
                "call me scratch that bye",
            ],
            ["--numbers", "--spoken-punctuation", "--remove-fillers", "--undo", "--vocabulary", folder.file("names")],
            in: folder)
        #expect(outcome.status == 0)
        #expect(outcome.output.hasPrefix("Dear Siobhan, i owe you $23."))
        #expect(outcome.output.hasSuffix("Bye\n"))
    }

    @Test func withoutOptionsTheTextIsWhatWasRecognized() async throws {
        let folder = try Folder()
        let outcome = try await transcribe(["um twenty", "three comma"], [], in: folder)
        #expect(outcome.output == "um twenty\nthree comma\n")
    }

    @Test func jsonHasTheTitleAndTheSummaryAndSaysHowTheyWereMade() async throws {
        let folder = try Folder()
        let outcome = try await transcribe(
            [
                "the harbor bridge closes in may", "workers repair the bridge", "ships wait at the bridge",
                "nobody knows when it opens",
            ],
            ["--title", "--summary", "--format", "json"], in: folder)
        let object = try #require(
            try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
        let transcript = try #require((object["transcripts"] as? [[String: Any]])?.first)
        let title = try #require(transcript["title"] as? [String: String])
        #expect(title["origin"] == "extractive")
        #expect(title["text"]?.contains("bridge") == true)
        #expect((transcript["summary"] as? [String: String])?["origin"] == "extractive")
        try Data(outcome.output.utf8).write(to: URL(filePath: folder.file("document.json")))
        let check = try await Program.python(
            [Program.fixtures + "/check-json.py", FormatTests.schemaPath, folder.file("document.json")])
        #expect(check.status == 0, "\(check.errors)")
    }

    @Test func textBeginsWithTheTitle() async throws {
        let folder = try Folder()
        let outcome = try await transcribe(
            ["the harbor bridge closes in may", "workers repair the bridge"], ["--title"], in: folder)
        let text = "the harbor bridge closes in may\nworkers repair the bridge\n"
        #expect(outcome.output == "workers repair the bridge\n\n" + text, "\(outcome)")
    }

    /// Nobody wants to read a short text three times.
    @Test func aTextThatIsItsOwnTitleAndSummaryHasNone() async throws {
        let folder = try Folder()
        let outcome = try await transcribe(["the harbor bridge closes in may"], ["--title", "--summary"], in: folder)
        #expect(outcome.output == "the harbor bridge closes in may\n" && outcome.status == 0, "\(outcome)")
        #expect(outcome.errors.contains("so short that its title would repeat it"), "\(outcome)")
        #expect(outcome.errors.contains("so short that its summary would repeat it"), "\(outcome)")
    }

    @Test func aCommandRewritesTheTextAndTheOriginalIsShown() async throws {
        let folder = try Folder()
        let outcome = try await transcribe(["hello wrld"], ["--rewrite-command", "sed s/wrld/world/"], in: folder)
        #expect(outcome.output == "hello world\n")
        #expect(outcome.errors.contains("hello wrld"))
    }

    @Test func aRewritingThatFailsKeepsTheText() async throws {
        let folder = try Folder()
        for option in [["--rewrite-command", "false"], ["--rewrite-with", "http://127.0.0.1:1/v1", "--title"]] {
            let outcome = try await transcribe(
                ["hello world"], option, in: folder, environment: ["DICTATE_KEY": "verysecret"])
            #expect(outcome.output.hasSuffix("hello world\n"))
            #expect(outcome.errors.contains("dictate: The text stays as it was."))
            #expect(outcome.status == 1, "\(outcome)")
            #expect(!outcome.errors.contains("verysecret"))
        }
    }

    @Test(arguments: [
        ["--vocabulary", "/nonexistent"], ["--numbers", "--locale", "ja-JP"], ["--title", "--format", "srt"],
        ["--rewrite-with", "ftp://localhost"], ["--language-model", "small"],
        ["--rewrite-with", "http://localhost", "--rewrite-command", "cat"],
        ["--spoken-punctuation", "--locale", "ja-JP"],
    ])
    func optionsThatCanNotBeFollowedAreRefused(_ options: [String]) async throws {
        let folder = try Folder()
        let outcome = try await transcribe(["hello"], options, in: folder)
        #expect(outcome.status == 2, "\(outcome.errors)")
        #expect(outcome.output.isEmpty)
    }

    @Test func aRewritingThatFailsIsSeenAfterATake() async throws {
        let folder = try Folder()
        let outcome = try await Program.run([
            "live", "--device", "file:" + (try folder.tone(seconds: 2.5)), "--script",
            try script(["hello world"], in: folder), "--rewrite-with", "http://127.0.0.1:1/v1",
        ])
        #expect(outcome.output == "hello world\n" && outcome.status == 1, "\(outcome)")
        #expect(outcome.errors.contains("dictate: The text stays as it was."), "\(outcome)")
    }

    @Test func liveTextIsWrittenToo() async throws {
        let folder = try Folder()
        let outcome = try await Program.run([
            "live", "--device", "file:" + (try folder.tone(seconds: 2.5)), "--script",
            try script(["i paid twenty", "three dollars period"], in: folder), "--numbers", "--spoken-punctuation",
        ])
        #expect(outcome.output == "I paid $23.\n")
    }
}

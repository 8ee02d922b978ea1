import DictationCapture
import DictationCore
import DictationEngines
import DictationTesting
import FoundationEssentials
import Testing

/// Runs the lines of code in the README.
@Suite struct ReadmeTests {
    @Test func theTenLinesWork() async throws {
        try await VirtualTime.run { @MainActor clock in
            var notes: [String] = []
            let engine = ScriptedEngine([.volatile("buy", at: .seconds(1)), .final("buy milk", at: .seconds(2))])
            let microphone = ScriptedCapturer([.tone(440, for: .seconds(60))])
            let session = DictationSession(engine: engine, capturer: microphone)
            let dictation = DictationModel(session)
            dictation.onTranscript = { take in notes.append(take.transcript.text) }
            await dictation.start()
            await clock.advance(by: .seconds(1.5))
            #expect(dictation.text == "buy")
            await dictation.stop()
            #expect(notes == ["buy"])
        }
    }

    @Test func theReadmeHasTheLinesThatAreTested() throws {
        let here = URL(filePath: #filePath)
        let package = here.deletingLastPathComponent().appending(path: "../..")
        let readme = try String(contentsOf: package.appending(path: "README.md"), encoding: .utf8)
        let source = try String(contentsOf: here, encoding: .utf8)
        let block = try #require(readme.split(separator: "```swift\n").dropFirst().first)
        let lines = block.split(separator: "```")[0].split(separator: "\n").map { $0.drop { $0 == " " } }
        #expect(lines.count == 11)
        let tested = source.split(separator: "\n").map { $0.drop { $0 == " " } }
        var rest = tested[...]
        for line in lines {
            let found = rest.firstIndex(of: line)
            #expect(found != nil, "The README has a line that is not tested: \(line)")
            if let found { rest = rest[(found + 1)...] }
        }
    }
}

import DictationCore
import DictationText
import Foundation
import Synchronization
import Testing

@testable import DictateCommand

@Suite struct TranscriptOutputTests {
    private final class Page: Sendable {
        private let written = Mutex("")
        var text: String { written.withLock { $0 } }
        func write(_ text: String) { written.withLock { $0 += text } }
    }

    private func final(_ text: String) -> SpeechResult {
        SpeechResult(range: .zero..<(.seconds(1)), text: text)
    }

    private func sources(_ names: String...) -> [TranscriptSource] { names.map { TranscriptSource(name: $0) } }

    @Test func textComesInTheOrderOfTheFilesWhoeverIsFirst() throws {
        let page = Page()
        let output = try TranscriptOutput(
            sources: sources("a", "b", "c"), destination: .standardOutput, format: .text, withWords: false,
            write: { text throws(OutputError) in page.write(text) })
        output.add(final("two"), of: 1)
        output.end(Transcript(), of: 2)
        #expect(page.text == "==> a <==\n")
        output.add(final("one"), of: 0)
        #expect(page.text == "==> a <==\none\n")
        output.end(Transcript(), of: 0)
        #expect(page.text == "==> a <==\none\n\n==> b <==\ntwo\n")
        output.add(final("three"), of: 1)
        output.end(Transcript(), of: 1)
        try output.close()
        #expect(page.text == "==> a <==\none\n\n==> b <==\ntwo\nthree\n\n==> c <==\n")
    }

    @Test func aFileHoldsAWholeDocumentOrIsNotThere() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "dictate-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let output = try TranscriptOutput(
            sources: sources("x/a.wav", "y/a.wav", "bad.wav"), destination: .folder(folder), format: .vtt,
            withWords: false,
            write: { text throws(OutputError) in Issue.record("Nothing goes to standard output.") })
        output.add(final("one"), of: 0)
        // Only the first document has begun, and its file has no name yet.
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
        output.add(final("two"), of: 1)
        output.end(Transcript(), of: 1)
        output.end(Transcript(), of: 0)
        output.end(Transcript(error: DictationError(.fileUnreadable, "No.")), of: 2)
        try output.close()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == ["a-2.vtt", "a.vtt"])
        let text = try String(contentsOfFile: folder + "/a.vtt", encoding: .utf8)
        #expect(text == "WEBVTT\n\n00:00:00.000 --> 00:00:01.000\none\n\n")
    }

    /// An older text would not be the text of this recording, so it does not stay.
    @Test(arguments: [OutputFormat.text, .srt, .vtt, .json], [false, true])
    func silenceMakesNoFile(format: OutputFormat, isThere: Bool) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "dictate-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (path, said) = (folder + "/out", Page())
        if isThere { try "old".write(toFile: path, atomically: true, encoding: .utf8) }
        let output = try TranscriptOutput(
            sources: sources("silence.wav"), destination: .file(path), format: format, withWords: false,
            say: said.write
        ) { _ throws(OutputError) in Issue.record("Nothing goes to standard output.") }
        output.end(Transcript(duration: .seconds(3)), of: 0)
        try output.close()
        let text = try? String(contentsOfFile: path, encoding: .utf8)
        #expect((text != nil) == (isThere || format == .json), "\(text ?? "")")
        #expect(text?.contains("old") != true)
        #expect((said.text == "There is no text, so “\(path)” was not created.") == (text == nil))
    }

    /// Only an error or an interruption keeps the older file. After exit code 0, a program that reads the file gets the
    /// new text, even if some audio was lost.
    @Test(arguments: [(false, "new\n"), (true, "old")])
    func lostAudioDoesNotKeepAnOldText(isInterrupted: Bool, expected: String) throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "dictate-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: path) }
        try "old".write(toFile: path + "/text.txt", atomically: true, encoding: .utf8)
        let output = try TranscriptOutput(
            sources: sources("microphone"), destination: .file(path + "/text.txt"), format: .text, withWords: false,
            write: { _ throws(OutputError) in Issue.record("Nothing goes to standard output.") })
        output.add(final("new"), of: 0)
        let gap = AudioGap(range: .seconds(1)..<(.seconds(2)), frameCount: 16_000, cause: .overrun)
        let transcript = Transcript(segments: [final("new")], gaps: [gap], duration: .seconds(3), isComplete: false)
        output.end(transcript, of: 0, isInterrupted: isInterrupted)
        try output.close()
        #expect(try String(contentsOfFile: path + "/text.txt", encoding: .utf8) == expected)
        #expect(FileManager.default.fileExists(atPath: path + "/text-2.txt") == isInterrupted)
    }

    @Test func theFirstFailureIsKeptAndNothingFollowsIt() throws {
        let page = Page()
        let output = try TranscriptOutput(
            sources: sources("a"), destination: .standardOutput, format: .text, withWords: false,
            write: { text throws(OutputError) in
                page.write(text)
                throw .closed
            })
        output.add(final("one"), of: 0)
        output.add(final("two"), of: 0)
        #expect(output.failure == .closed)
        #expect(page.text == "one\n")
        #expect(throws: OutputError.closed) { try output.close() }
    }
}

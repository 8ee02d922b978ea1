import DictationCore
import DictationTesting
import Foundation
import TestSupport
import Testing

@testable import DictationService

@Suite struct JournalTests {
    private func text(_ number: Int, _ words: String = "said") -> DictatedText {
        let result = SpeechResult(
            range: .zero..<(.seconds(1)), text: "\(words) \(number)",
            words: [SpeechResult.Word(words, range: .zero..<(.milliseconds(500)), confidence: 0.5)])
        let take = TakeID(number: number)
        return DictatedText(
            take: take, date: Date(timeIntervalSince1970: 1_790_000_000),
            transcript: Transcript(segments: [result], duration: .seconds(1), take: take))
    }

    private func numbers(_ texts: [DictatedText]) -> [Int] { texts.map(\.take.number) }

    @Test func textsOutliveTheJournalThatWroteThem() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("state/dictation/journal.jsonl")
        let journal = TextJournal(path: path)
        #expect(try await journal.texts() == [])
        for number in 1...3 { try await journal.append(text(number)) }
        #expect(try await TextJournal(path: path).texts() == [text(1), text(2), text(3)])
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        try await journal.clear()
        #expect(try await journal.texts() == [] && !isThere(path))
    }

    @Test func onlyTheNewestAreKept() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("journal.jsonl")
        let journal = TextJournal(path: path, limit: 5)
        for number in 1...53 {
            try await journal.append(text(number))
            let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
            #expect(lines.count <= 10)
            #expect(numbers(try await journal.texts()) == Array(max(1, number - 4)...number))
        }
        #expect(names(in: folder.path) == ["journal.jsonl"])
    }

    /// A crash cuts a line off anywhere.
    @Test func aTornLineIsIgnoredAndTheNextOneIsWhole() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("journal.jsonl")
        let journal = TextJournal(path: path)
        try await journal.append(text(1))
        let whole = try Data(contentsOf: URL(filePath: path))
        try await journal.append(text(2))
        let both = try Data(contentsOf: URL(filePath: path))
        for end in stride(from: whole.count, to: both.count, by: 7) {
            try both.prefix(end).write(to: URL(filePath: path))
            let next = TextJournal(path: path)
            #expect(numbers(try await next.texts()) == [1])
            try await next.append(text(3))
            #expect(numbers(try await next.texts()) == [1, 3])
        }
    }

    @Test func damageInTheMiddleCostsOneText() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("journal.jsonl")
        let journal = TextJournal(path: path)
        for number in 1...3 { try await journal.append(text(number)) }
        var lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init)
        lines[1] = "\u{0}\u{1}{{{"
        try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: URL(filePath: path))
        #expect(numbers(try await TextJournal(path: path).texts()) == [1, 3])
    }

    @Test func whatCannotBeWrittenIsAnErrorWithThePath() async throws {
        let path = "/proc/no/such/folder/journal.jsonl"
        let found = await error { try await TextJournal(path: path).append(text(1)) }
        #expect(found?.message.contains("/proc/no/such/folder") == true)
    }

    @Test func aFullDiskIsAnErrorAndNoTextIsTorn() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("journal.jsonl")
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/dev/full")
        let found = await error { _ = try await TextJournal(path: path, limit: 1).texts() }
        #expect(found?.code == .fileUnreadable, "A device is no journal.")
        let replaced = TextJournal(path: folder.file("other/journal.jsonl"))
        try await replaced.append(text(1))
        #expect(numbers(try await replaced.texts()) == [1])
    }

    @Test func aTextThatCannotBeSavedIsStillGiven() async throws {
        try await VirtualTime.run { clock in
            let service = countingService(journal: TextJournal(path: "/proc/no/such/folder/journal.jsonl"))
            try await service.start()
            await clock.advance(by: .milliseconds(2_050))
            let text = try await service.stop()
            #expect(text?.text == "one two three four" && text?.journalError?.code == .fileUnreadable)
            #expect(try await service.status().journalError?.code == .fileUnreadable)
            #expect(try await service.last()?.text == "one two three four")
        }
    }

    @Test func aTextIsOnTheDiskBeforeItIsGiven() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("journal.jsonl")
        try await VirtualTime.run { clock in
            let service = countingService(journal: TextJournal(path: path))
            try await service.start()
            await clock.advance(by: .milliseconds(2_050))
            let text = try #require(try await service.stop())
            #expect(try await TextJournal(path: path).texts() == [text])
            #expect(try await service.status().journalError == nil)
        }
        try await VirtualTime.run { _ in
            let next = countingService(journal: TextJournal(path: path))
            let last = try await next.last()
            #expect(last?.text == "one two three four")
        }
    }
}

import DictationCapture
import DictationCore
import DictationEngines
import DictationService
import DictationTesting
import Foundation
import TestSupport
import Testing

/// Audio whose text is missing is recognized after a crash.
@Suite struct RecoveryTests {
    /// Leaves the audio of a take in a spool, as a process does that is killed.
    private func leaveTake(in folder: TemporaryFolder) async throws {
        try await VirtualTime.run { clock in
            var session: DictationSession? = DictationSession(
                engine: ScriptedEngine(), capturer: ScriptedCapturer([.tone(440, for: .seconds(60))]),
                spool: WaveSpool(folder: folder.file("audio")))
            try await session?.start()
            await clock.advance(by: .milliseconds(2_550))
            session = nil
            await clock.advance(by: .seconds(5))
        }
    }

    @Test func keptAudioBecomesTextInTheJournal() async throws {
        let folder = try TemporaryFolder()
        try await leaveTake(in: folder)
        #expect(names(in: folder.file("audio")).count == 1)
        try await VirtualTime.run { clock in
            let journal = TextJournal(path: folder.file("journal.jsonl"))
            let service = countingService(journal: journal, spool: WaveSpool(folder: folder.file("audio")))
            let texts = await service.recover()
            #expect(texts.map(\.text) == ["one two three four one"])
            await service.waitUntilSettled()
            let saved = try await journal.texts()
            #expect(saved.map(\.text) == ["one two three four one"])
            #expect(try await service.perform(.stop) == .nothing, "Nobody has stopped this take.")
            #expect(try await service.last()?.text == "one two three four one")
            #expect(names(in: folder.file("audio")) == [])
            #expect(await service.recover() == [])
        }
    }

    /// The disk is full: the text is nowhere but in memory.
    @Test func theAudioStaysUntilItsTextIsSaved() async throws {
        let folder = try TemporaryFolder()
        try await leaveTake(in: folder)
        try await VirtualTime.run { clock in
            let journal = TextJournal(path: "/proc/no/such/folder/journal.jsonl")
            let service = countingService(journal: journal, spool: WaveSpool(folder: folder.file("audio")))
            #expect(await service.recover().map(\.text) == ["one two three four one"])
            await service.waitUntilSettled()
            let last = try await service.last()
            #expect(last?.journalError != nil)
        }
        #expect(names(in: folder.file("audio")).count == 1)
        try await VirtualTime.run { clock in
            let journal = TextJournal(path: folder.file("journal.jsonl"))
            let service = countingService(journal: journal, spool: WaveSpool(folder: folder.file("audio")))
            #expect(await service.recover().map(\.text) == ["one two three four one"])
            await service.waitUntilSettled()
        }
        #expect(names(in: folder.file("audio")) == [])
    }

    @Test func aTakeOfTheUserGoesFirst() async throws {
        let folder = try TemporaryFolder()
        try await leaveTake(in: folder)
        try await VirtualTime.run { clock in
            let service = countingService(spool: WaveSpool(folder: folder.file("audio")))
            try await service.start()
            let recovery = DictationRuntime.current.task { await service.recover() }
            await clock.advance(by: .milliseconds(2_050))
            #expect(try await service.stop()?.text == "one two three four")
            #expect(await recovery.value.map(\.text) == ["one two three four one"])
        }
    }

    @Test func aStopAndACancelEndNoRecovery() async throws {
        let folder = try TemporaryFolder()
        try await leaveTake(in: folder)
        try await VirtualTime.run { clock in
            let service = countingService(
                script: [.final("kept", at: .seconds(1)), .slowFinish(.seconds(3))],
                spool: WaveSpool(folder: folder.file("audio")))
            let recovery = DictationRuntime.current.task { await service.recover() }
            await clock.advance(by: .seconds(1))
            let status = try await service.status()
            #expect(status.state == .finalizing)
            #expect(try await service.perform(.stop) == .nothing)
            #expect(try await service.perform(.cancel) == .nothing)
            #expect(await recovery.value.map(\.text) == ["kept"])
        }
    }

    @Test func theLastTextWaitsForTheRecovery() async throws {
        let folder = try TemporaryFolder()
        try await leaveTake(in: folder)
        try await VirtualTime.run { clock in
            let journal = TextJournal(path: folder.file("journal.jsonl"))
            let earlier = countingService(journal: journal)
            try await earlier.start()
            await clock.advance(by: .milliseconds(550))
            #expect(try await earlier.stop()?.text == "one")
            await earlier.close()

            let service = countingService(journal: journal, spool: WaveSpool(folder: folder.file("audio")))
            service.expectRecovery()
            await #expect { try await service.last() } throws: { ($0 as? DictationError)?.code == .timedOut }
            let asking = DictationRuntime.current.task { try? await service.last()?.text }
            await service.recover()
            #expect(await asking.value == "one two three four one")
        }
    }

    /// A take of now is newer than the audio of a take before the crash, whichever becomes text first.
    @Test func olderAudioDoesNotReplaceTheLastText() async throws {
        let folder = try TemporaryFolder()
        try await leaveTake(in: folder)
        try await VirtualTime.run { clock in
            let service = countingService(spool: WaveSpool(folder: folder.file("audio")))
            service.expectRecovery()
            try await service.start()
            await clock.advance(by: .milliseconds(550))
            #expect(try await service.stop()?.text == "one")
            #expect(try await service.last()?.text == "one", "A text of this service waits for no recovery.")
            #expect(await service.recover().map(\.text) == ["one two three four one"])
            #expect(try await service.last()?.text == "one")
        }
    }

    /// An engine that fails on the same audio each time leaves it in the spool. It is tried once, not at every start.
    @Test func audioThatGivesNoWholeTextIsTriedOnce() async throws {
        let folder = try TemporaryFolder()
        try await leaveTake(in: folder)
        try await VirtualTime.run { clock in
            let journal = TextJournal(path: folder.file("journal.jsonl"))
            let failure = DictationError(.engineFailed, "It broke.")
            let broken: ScriptedEngine.Script = [
                .final("old words", at: .seconds(1)), .error(failure, at: .seconds(2)),
            ]
            for _ in 1...2 {
                let service = countingService(
                    script: broken, journal: journal, spool: WaveSpool(folder: folder.file("audio")))
                _ = await service.recover()
                await service.waitUntilSettled()
                await service.close()
            }
            let saved = try await journal.texts()
            #expect(saved.map(\.text) == ["old words"])
            #expect(names(in: folder.file("audio")).count == 1, "Its text is not complete.")
        }
    }

    /// A kill after the text was saved and before its audio was deleted.
    @Test func audioWhoseTextIsSavedIsDeleted() async throws {
        let folder = try TemporaryFolder()
        try await leaveTake(in: folder)
        let spool = WaveSpool(folder: folder.file("audio"))
        try await VirtualTime.run { _ in
            let journal = TextJournal(path: folder.file("journal.jsonl"))
            var text = DictatedText("one")
            text.audio = try #require(await spool.takes().first).id
            _ = try folder.write(Array(JSONEncoder().encode(text)) + [0x0A], to: "journal.jsonl")
            let service = countingService(journal: journal, spool: spool)
            #expect(await service.recover() == [])
            await service.waitUntilSettled()
            #expect(try await journal.texts().map(\.text) == ["one"])
        }
        #expect(names(in: folder.file("audio")) == [])
    }

    @Test func textsThatCannotBeReadAreNoMissingTexts() async throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(
            atPath: folder.file("journal.jsonl"), withIntermediateDirectories: false)
        try await VirtualTime.run { _ in
            let service = countingService(journal: TextJournal(path: folder.file("journal.jsonl")))
            await #expect(throws: DictationError.self) { try await service.last() }
        }
    }

    @Test func withoutASpoolThereIsNothingToRecover() async throws {
        try await VirtualTime.run { _ in #expect(await countingService().recover() == []) }
    }
}

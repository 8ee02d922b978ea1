import DictationCapture
import DictationCore
import DictationEngines
import DictationTesting
import FoundationEssentials
import Testing
import VoiceNotes

private func newPath() -> String {
    FileManager.default.temporaryDirectory.appending(path: "voice-notes-\(UInt64.random(in: 0 ... .max)).json").path
}

@Suite struct VoiceNotesTests {
    private let shopping = try? ScriptedEngine.Script(
        marbles: "1s (buy) 1s (buy silk) 1s [buy milk] 1s (and) 1s [and bread]")

    @Test func aNoteIsDictatedAndSaved() async throws {
        let path = newPath()
        try await run(shopping, path: path) { app, clock in
            await app.start()
            #expect(app.isRecording)
            var drafts: [String] = []
            for _ in 0..<5 {
                await clock.advance(by: .seconds(1.1))
                drafts.append(app.draft)
            }
            #expect(drafts == ["buy", "buy silk", "buy milk", "buy milk and", "buy milk and bread"])
            await app.save()
            #expect(!app.isRecording)
            #expect(app.notes == [Note("buy milk and bread")])
            #expect(app.draft.isEmpty)
            let kept = try NoteFile(path: path).read()
            #expect(kept == app.notes)
        }
    }

    @Test func aNoteMayHaveSeveralTakes() async throws {
        try await run([.final("one", at: .seconds(1))], [.final("two", at: .seconds(1))]) { app, clock in
            for _ in 0..<2 {
                await app.start()
                await clock.advance(by: .seconds(2))
                await app.stop()
            }
            #expect(app.draft == "one two")
        }
    }

    @Test func undoTakesOneStepBack() async throws {
        let path = newPath()
        try await run([.final("one", at: .seconds(1))], [.final("two", at: .seconds(1))], path: path) { app, clock in
            #expect(!app.canUndo)
            for _ in 0..<2 {
                await app.start()
                await clock.advance(by: .seconds(2))
                await app.stop()
            }
            await app.save()
            #expect(app.notes == [Note("one two")])
            await app.undo()
            #expect(app.notes.isEmpty)
            let kept = try NoteFile(path: path).read()
            #expect(kept.isEmpty)
            #expect(app.draft == "one two")
            await app.undo()
            #expect(app.draft == "one")
            await app.undo()
            #expect(app.draft.isEmpty)
            #expect(!app.canUndo)
        }
    }

    @Test func undoWhileSpeakingThrowsTheTakeAway() async throws {
        try await run([.volatile("oops", at: .seconds(1))]) { app, clock in
            await app.start()
            await clock.advance(by: .seconds(2))
            #expect(app.draft == "oops")
            await app.undo()
            #expect(app.draft.isEmpty)
            #expect(!app.isRecording)
            await app.save()
            #expect(app.notes.isEmpty)
        }
    }

    @Test func aDiscardedDraftCanBeTakenBack() async throws {
        try await run([.final("keep me", at: .seconds(1))]) { app, clock in
            await app.start()
            await clock.advance(by: .seconds(2))
            await app.stop()
            await app.discard()
            #expect(app.draft.isEmpty)
            await app.undo()
            #expect(app.draft == "keep me")
        }
    }

    @Test func theUserMaySpeakBeforeTheEngineIsReady() async throws {
        try await run([.slowStart(.seconds(8)), .final("early words", at: .seconds(2))]) { app, clock in
            let start = Task { @MainActor in await app.start() }
            await clock.settle()
            #expect(app.notice != "Getting ready. You can speak already.", "Nothing is recorded yet.")
            await clock.advance(by: .seconds(3))
            #expect(app.notice == "Getting ready. You can speak already.")
            await app.stop()
            await start.value
            #expect(app.draft == "early words")
            #expect(app.alert == nil)
        }
    }

    // MARK: Failures

    @Test func anErrorIsShownWithWhatToDo() async throws {
        let broken = DictationError(.modelInvalid, "The English model is damaged.", recovery: "Install it again.")
        try await run([.failingStart(broken)], [.final("works", at: .seconds(1))]) { app, clock in
            await app.start()
            #expect(app.alert == "The English model is damaged. Install it again.")
            #expect(!app.isRecording)
            await app.start()
            #expect(app.alert == nil)
            await clock.advance(by: .seconds(2))
            await app.stop()
            #expect(app.draft == "works")
        }
    }

    @Test func aRefusedMicrophoneIsShown() async throws {
        try await run([], configure: { $0.authorization = .denied("Allow it in the settings.") }) { app, _ in
            await app.start()
            #expect(app.alert == "Recording is not permitted. Allow it in the settings.")
        }
    }

    @Test func anEngineThatFailsMidNoteKeepsTheWords() async throws {
        let broken = DictationError(.engineFailed, "The engine broke.")
        try await run([.volatile("so far", at: .seconds(1)), .error(broken, at: .seconds(2))]) { app, clock in
            await app.start()
            await clock.advance(by: .seconds(3))
            #expect(!app.isRecording)
            #expect(app.draft == "so far")
            #expect(app.alert == "The engine broke.")
            await app.save()
            #expect(app.notes == [Note("so far")])
        }
    }

    @Test func anEngineThatHangsKeepsTheWords() async throws {
        try await run([.volatile("so far", at: .seconds(1)), .neverFinishes()]) { app, clock in
            await app.start()
            await clock.advance(by: .seconds(2))
            let before = clock.now
            await app.save()
            #expect(app.notes == [Note("so far")])
            #expect(before.duration(to: clock.now) < .seconds(15))
        }
    }

    @Test func aMicrophoneThatComesBackGoesOnWithTheNote() async throws {
        let microphone: [ScriptedCapturer.Step] = [
            .tone(440, for: .seconds(2)), .unplug(for: .seconds(3)), .tone(440, for: .seconds(60)),
        ]
        let script: ScriptedEngine.Script = [.final("before", at: .seconds(1)), .final("after", at: .seconds(6))]
        try await run(script, microphone: microphone) { app, clock in
            await app.start()
            await clock.advance(by: .seconds(3))
            #expect(app.notice == "The microphone is gone. Plug it in again and go on speaking.")
            #expect(app.isRecording)
            await clock.advance(by: .seconds(4))
            #expect(app.notice == nil)
            #expect(app.draft == "before after")
            await app.save()
            #expect(app.notes == [Note("before after")])
            #expect(app.alert == nil)
        }
    }

    @Test func aMicrophoneThatIsGoneForGoodLeavesTheWords() async throws {
        let microphone: [ScriptedCapturer.Step] = [.tone(440, for: .seconds(2)), .unplug]
        try await run([.volatile("half a sent", at: .seconds(1))], microphone: microphone) { app, clock in
            await app.start()
            await clock.advance(by: .seconds(5))
            #expect(!app.isRecording)
            #expect(app.draft == "half a sent")
            #expect(app.alert?.contains("Plug it in again") == true)
        }
    }

    @Test func aNoteThatCannotBeSavedStaysADraft() async throws {
        try await run([.final("precious", at: .seconds(1))], path: "/nonexistent/notes.json") { app, clock in
            await app.start()
            await clock.advance(by: .seconds(2))
            await app.save()
            #expect(app.alert?.hasPrefix("The note can't be saved") == true)
            #expect(app.draft == "precious")
            #expect(app.notes.isEmpty)
        }
    }

    @Test func notesAreForTheUserAlone() throws {
        let path = newPath()
        #expect(try NoteFile(path: path).read().isEmpty)
        try NoteFile(path: path).write([Note("private")])
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test func notesAreThereTheNextTime() async throws {
        let path = newPath()
        try NoteFile(path: path).write([Note("from yesterday")])
        try await run([.final("from today", at: .seconds(1))], path: path) { app, clock in
            await app.start()
            await clock.advance(by: .seconds(2))
            await app.save()
            #expect(app.notes.map(\.text) == ["from yesterday", "from today"])
        }
        try Data("no notes".utf8).write(to: URL(filePath: path))
        try await run([], path: path) { app, _ in #expect(app.alert?.hasPrefix("Your notes can't be read") == true) }
    }

    /// Runs the app in virtual time, with a script for each take.
    private func run(
        _ scripts: ScriptedEngine.Script?..., microphone: [ScriptedCapturer.Step] = [.tone(440, for: .seconds(60))],
        path: String = newPath(), configure: @escaping @Sendable (inout ScriptedCapturer.Behavior) -> Void = { _ in },
        _ body: @escaping @MainActor @Sendable (VoiceNotes, ManualClock) async throws -> Void
    ) async throws {
        let scripts = try scripts.map { try #require($0) }
        defer { try? FileManager.default.removeItem(atPath: path) }
        try await VirtualTime.run { @MainActor clock in
            let session = DictationSession(
                engine: ScriptedEngine(sessions: scripts),
                capturer: ScriptedCapturer(microphone, configure: configure))
            try await body(VoiceNotes(session, file: NoteFile(path: path)), clock)
        }
    }
}

import DictationCapture
import DictationCore
import DictationEngines
import FoundationEssentials
import VoiceNotes

/// Dictates a note with a scripted voice, so that the demo runs on any machine.
@main struct Demo {
    @MainActor static func main() async throws {
        let engine = ScriptedEngine(
            try ScriptedEngine.Script(
                marbles: "500ms (buy) 300ms (buy milk) 400ms [buy milk] 500ms (and bred) 500ms [and bread]"))
        let microphone = ScriptedCapturer([.tone(440, for: .seconds(60))])
        let path = FileManager.default.temporaryDirectory.appending(path: "voice-notes.json").path
        let app = VoiceNotes(
            DictationSession(engine: engine, capturer: microphone), file: NoteFile(path: path))

        await app.start()
        for _ in 0..<25 {
            try await Task.sleep(for: .milliseconds(100))
            print("\u{1B}[2K\r\(app.draft)", terminator: "")
        }
        await app.save()
        print("\nSaved in \(path): \(app.notes.last?.text ?? "nothing")")
    }
}

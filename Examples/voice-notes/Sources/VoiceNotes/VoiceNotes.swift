import DictationCore
import Observation

/// The app's logic: dictate a note in one take or several, save it, undo the last step.
@MainActor @Observable
public final class VoiceNotes {
    /// A state that undo can restore.
    private struct Page: Equatable {
        var passages: [String] = []
        var notes: [Note] = []
    }

    /// The state, text and level of the current take. A view reads its values here.
    public let dictation: DictationModel
    /// What went wrong, in words for the user; `nil` again after the next step that works.
    public private(set) var alert: String?
    private var page = Page()
    private var history: [Page] = []
    private var isDictating = false
    @ObservationIgnored private let file: NoteFile

    /// Creates the app for a session, with the notes in a file.
    public init(_ session: DictationSession, file: NoteFile) {
        dictation = DictationModel(session)
        self.file = file
        do { page.notes = try file.read() } catch { alert = "Your notes can't be read: \(error)" }
        dictation.onTranscript = { [weak self] take in self?.keep(take.transcript) }
    }

    // MARK: Values to show

    /// The saved notes.
    public var notes: [Note] { page.notes }

    /// The unsaved note: the text of its finished takes and of the current take.
    public var draft: String { dictation.locale.join(page.passages + (isDictating ? [dictation.text] : [])) }

    /// Whether the microphone is open.
    public var isRecording: Bool { isDictating && dictation.state.isActive }

    /// A line about a problem with the microphone or about a slow engine; `nil` when all is well.
    public var notice: String? {
        guard isRecording else { return nil }
        if dictation.interruption != nil { return "The microphone is gone. Plug it in again and go on speaking." }
        switch dictation.input {
        case .noAudio: return "The microphone sends no sound."
        case .digitalSilence: return "The microphone is muted."
        default: break
        }
        guard dictation.hasAudio else { return "The microphone is opening. Wait a moment." }
        return dictation.isEngineReady ? nil : "Getting ready. You can speak already."
    }

    /// Whether there is a step to undo.
    public var canUndo: Bool { !history.isEmpty }

    // MARK: Steps of the user

    /// Starts a take.
    public func start() async {
        alert = nil
        isDictating = true
        await dictation.start()
        if let error = dictation.error { show(error) }
    }

    /// Stops the take. Its words are in the draft.
    public func stop() async { await dictation.stop() }

    /// Saves the draft as a note.
    public func save() async {
        await stop()
        guard !draft.isEmpty else { return }
        let next = Page(notes: page.notes + [Note(draft)])
        if write(next) { turn(to: next) }
    }

    /// Undoes the last step: a take, a saved note or a discarded draft. During a take, cancels the take.
    public func undo() async {
        if isRecording { return await cancel() }
        guard let last = history.last, write(last) else { return }
        history.removeLast()
        page = last
    }

    /// Discards the draft.
    public func discard() async {
        await cancel()
        turn(to: Page(notes: page.notes))
    }

    // MARK: Implementation

    /// Keeps the words of a take, no matter how the take ended.
    private func keep(_ transcript: Transcript) {
        isDictating = false
        if !transcript.isEmpty { turn(to: Page(passages: page.passages + [transcript.text], notes: page.notes)) }
        if let error = transcript.error { show(error) }
    }

    private func cancel() async {
        isDictating = false
        await dictation.cancel()
    }

    private func turn(to next: Page) {
        guard next != page else { return }
        history.append(page)
        page = next
    }

    private func write(_ page: Page) -> Bool {
        guard page.notes != self.page.notes else { return true }
        do {
            try file.write(page.notes)
            alert = nil
            return true
        } catch {
            alert = "The note can't be saved: \(error)"
            return false
        }
    }

    /// Shows an error's message, and what the user can do about it.
    private func show(_ error: DictationError) {
        isDictating = false
        alert = [error.message, error.recovery].compactMap(\.self).joined(separator: " ")
    }
}

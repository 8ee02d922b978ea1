import DictationCore
import Observation

/// What the app shows and does: dictate a note in one take or several, save it, take the last step back.
@MainActor @Observable
public final class VoiceNotes {
    /// What undo goes back to.
    private struct Page: Equatable {
        var passages: [String] = []
        var notes: [Note] = []
    }

    /// The live side: state, text, level. The view reads what it needs from it.
    public let dictation: DictationModel
    /// What went wrong, in words for the user; gone with the next step that works.
    public private(set) var alert: String?
    private var page = Page()
    private var history: [Page] = []
    private var isDictating = false
    @ObservationIgnored private let file: NoteFile

    /// Makes the app around a session, with the notes of a file.
    public init(_ session: DictationSession, file: NoteFile) {
        dictation = DictationModel(session)
        self.file = file
        do { page.notes = try file.read() } catch { alert = "Your notes can't be read: \(error)" }
        dictation.onTranscript = { [weak self] take in self?.keep(take.transcript) }
    }

    // MARK: What is shown

    /// The saved notes.
    public var notes: [Note] { page.notes }

    /// The note that is being made: what was dictated, and what is being said.
    public var draft: String { dictation.locale.join(page.passages + (isDictating ? [dictation.text] : [])) }

    /// Whether the microphone is open.
    public var isRecording: Bool { isDictating && dictation.state.isActive }

    /// A line about the microphone, while there is something to say about it.
    public var notice: String? {
        guard isRecording else { return nil }
        if dictation.interruption != nil { return "The microphone is gone. Plug it in again and go on." }
        switch dictation.input {
        case .noAudio: return "The microphone gives nothing."
        case .digitalSilence: return "The microphone is muted."
        default: return dictation.isEngineReady ? nil : "Getting ready. You can speak already."
        }
    }

    /// Whether there is a step to take back.
    public var canUndo: Bool { !history.isEmpty }

    // MARK: What the user does

    /// Begins to dictate.
    public func start() async {
        alert = nil
        isDictating = true
        await dictation.start()
        if let error = dictation.error { show(error) }
    }

    /// Stops dictating; what was said is in the draft.
    public func stop() async { await dictation.stop() }

    /// Saves the draft as a note.
    public func save() async {
        await stop()
        guard !draft.isEmpty else { return }
        let next = Page(notes: page.notes + [Note(draft)])
        if write(next) { turn(to: next) }
    }

    /// Takes the last step back: a passage, a saved note, a discarded draft.
    public func undo() async {
        if isRecording { return await cancel() }
        guard let last = history.last, write(last) else { return }
        history.removeLast()
        page = last
    }

    /// Throws the draft away.
    public func discard() async {
        await cancel()
        turn(to: Page(notes: page.notes))
    }

    // MARK: Inside

    /// However a take ended, by the user or by itself, its words are kept.
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

    /// An error has a message for people and says what they can do.
    private func show(_ error: DictationError) {
        isDictating = false
        alert = [error.message, error.recovery].compactMap(\.self).joined(separator: " ")
    }
}

import DictationDesktop
import DictationService

/// A line that the editor sends.
public struct EditorEvent: Codable, Sendable {
    /// What happened.
    public enum Name: String, Codable, Sendable { case focus, press, release, toggle, cancel, written, missed }

    /// What happened.
    public var event: Name
    /// `focus`: the buffer that the cursor is in now; none if it is in no buffer.
    public var buffer: String?
    /// `focus`: the text before the cursor.
    public var before: String?
    /// `focus`: whether the buffer is a secret.
    public var isSecret: Bool?
    /// `written` and `missed`: the number of the text.
    public var number: Int?

    /// What the keyboard hears of it.
    var events: [KeyboardMachine.Event] {
        switch event {
        case .focus:
            let field = buffer.map { KeyboardField(id: $0, secret: isSecret == true ? .privateText : nil) }
            return [.focused(field), .textBefore(before)]
        case .press: return [.pressed]
        case .release: return [.released]
        case .toggle: return [.toggled]
        case .cancel: return [.cancelled]
        case .written: return number.map { [.written($0)] } ?? []
        case .missed: return number.map { [.missed($0)] } ?? []
        }
    }
}

/// A line that the editor gets.
public struct EditorAction: Codable, Sendable, Equatable {
    /// What the editor does: writes a text into a buffer, shows text that may still change at the cursor, or shows a message.
    /// An empty text hides it.
    public enum Name: String, Codable, Sendable { case write, preview, message }

    /// What the editor does.
    public var action: Name
    /// The text.
    public var text: String
    /// `write`: the buffer. The editor can write into any, so it need not be the one with the cursor.
    public var buffer: String?
    /// `write`: the number, for the answer `written` or `missed`.
    public var number: Int?

    init?(_ action: KeyboardMachine.Action) {
        switch action {
        case .write(let text, let buffer, let number):
            (self.action, self.text, self.buffer, self.number) = (.write, text, buffer, number)
        case .preview(let text): (self.action, self.text) = (.preview, text)
        case .tell(let notice): (self.action, self.text) = (.message, notice?.words ?? "")
        default: return nil
        }
    }
}

import DictationCore
import DictationDesktop
import DictationService
import Foundation

/// Lets an editor dictate: reads lines of JSON from it, and sends lines of JSON back.
public final class EditorPlugin: Sendable {
    private let keyboard: DictationKeyboard

    /// Creates a plug-in.
    ///
    /// - Parameter send: Gets each line for the editor, without its end, one after another.
    public init(control: any DictationControl, send: @escaping @Sendable (String) -> Void) {
        keyboard = DictationKeyboard(control: control) { action in
            if let line = EditorAction(action) { send(encoded(line)) }
        }
    }

    /// Takes a line of the editor.
    ///
    /// - Returns: The complaint about the line; `nil` if it was understood.
    public func receive(_ line: String) -> String? {
        guard let event = try? JSONDecoder().decode(EditorEvent.self, from: Data(line.utf8)) else {
            return "This line is no event: \(line)"
        }
        for event in event.events { keyboard.handle(event) }
        return nil
    }
}

private func encoded(_ line: some Encodable) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return (try? encoder.encode(line)).map { String(decoding: $0, as: UTF8.self) } ?? ""
}

import DictationCore

extension KeyboardMachine.Notice {
    /// What the user reads.
    public var words: String {
        switch self {
        case .waiting(let text): "Waits for its field: \(text)"
        case .refused(.password): "No dictation in a password."
        case .refused(.pin): "No dictation in a PIN."
        case .refused: "No dictation in a private field."
        case .failed(let error): [error.message, error.recovery].compactMap { $0 }.joined(separator: " ")
        case .endedByAnother: "Another program ended the take and has its text."
        case .rewritten: "The text was corrected after a part of it was written. The last text has all of it."
        }
    }
}

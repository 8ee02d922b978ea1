import DictationService

/// A destination that presses keys.
protocol TypingDestination: TextDestination {
    /// Types pieces of text, or presses a key.
    func type(_ pieces: [TypedText.Piece], into field: FocusedField?) async -> TextDelivery.Outcome
}

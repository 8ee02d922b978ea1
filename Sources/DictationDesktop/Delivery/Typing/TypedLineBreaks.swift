/// What a line break in a text becomes when the text is typed.
public enum TypedLineBreaks: String, Sendable, Hashable, CaseIterable {
    /// A space. Nothing is sent before the user sends it.
    case space
    /// The Enter key, which sends the message in many programs.
    case enter
    /// Shift and Enter, which begins a line in most programs that send with Enter.
    case shiftEnter
}

/// A field of a program, in which text can be written.
public struct KeyboardField: Sendable, Hashable {
    /// What a field holds that nobody should hear.
    @nonexhaustive public enum Secret: String, Sendable, Hashable, CaseIterable {
        /// A password.
        case password
        /// A PIN.
        case pin
        /// Anything else that the program calls private.
        case privateText
    }

    /// The field's identity. Two fields never have the same.
    public var id: String
    /// Why the field refuses dictation; `nil` if it doesn't.
    public var secret: Secret?
    /// Whether the field is for sentences, which begin with a capital. A terminal, an address and a number are not.
    public var isProse: Bool
    /// Whether a line break begins a line. In a terminal it would run a command, so the text has a space there.
    public var takesLines: Bool
    /// Whether the program tells the text before the cursor. Nothing is written before it has told it, once for each time
    /// that the field gets the focus.
    public var tellsText: Bool

    /// Creates a field.
    public init(
        id: String, secret: Secret? = nil, isProse: Bool = true, takesLines: Bool = true, tellsText: Bool = false
    ) {
        (self.id, self.secret, self.isProse) = (id, secret, isProse)
        (self.takesLines, self.tellsText) = (takesLines, tellsText)
    }
}

public import DictationCore

/// The field that has the focus, through a keyboard that is connected to the service: an `IBusKeyboard` or any other
/// `DictationKeyboard`.
///
/// It is the safest way into a field: it knows passwords, keeps a take's text from every other field, and says whether the
/// text has arrived. Only a ``DictationService`` can use it, in one of its profiles.
public struct KeyboardDestination: TextDestination {
    private let keyboards: ConnectedKeyboards?

    /// Creates the destination.
    public init() { keyboards = nil }

    init(_ keyboards: ConnectedKeyboards) { self.keyboards = keyboards }

    /// `keyboard`.
    public var name: String { "keyboard" }
    /// `true`: the text goes to the field that has the focus.
    public var followsFocus: Bool { true }

    /// Returns why there is no keyboard; `nil` if one is connected to the user's service.
    public func problem() async -> DictationError? {
        guard let keyboards else {
            do throws(DictationError) { try await DictationClient().checkKeyboard() } catch { return error }
            return nil
        }
        return keyboards.areThere ? nil : .noKeyboard
    }

    /// Returns the field that has the focus; `nil` if none has it, or if no keyboard is connected.
    public func focusedField() async -> FocusedField? { keyboards?.focusedField }

    /// Shows text that may still change at the cursor.
    public func preview(_ text: String, in field: FocusedField?) async { keyboards?.show(text, in: field) }

    /// Writes a text into the field.
    public func deliver(_ text: DictatedText, into field: FocusedField?) async -> TextDelivery.Outcome {
        await keyboards?.write(text, into: field) ?? .unavailable("This destination belongs to no service.")
    }
}

extension KeyboardDestination: FieldDestination {
    package func bound(to keyboards: ConnectedKeyboards) -> KeyboardDestination { KeyboardDestination(keyboards) }
}

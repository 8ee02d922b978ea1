public import DictationCore

/// A place where dictated text goes, such as the field that has the focus.
///
/// - **Choose** `WtypeDestination` or `XdotoolDestination` to type, `ClipboardDestination` to copy or paste,
///   ``OutputDestination``, ``FileDestination`` or ``CommandDestination`` to pass the text on.
/// - **Use** several in a ``DestinationChain``, which a ``DictationProfile`` has.
/// - **Implement** it for another way into another program. Answer within seconds, and never say that a text arrived
///   unless it did.
/// - **Test** your own with a text of all of Unicode, in a field that has had the focus for a moment only.
public protocol TextDestination: Sendable {
    /// The name, as in settings and in a ``TextDelivery``.
    var name: String { get }
    /// Whether the text goes to whatever has the focus.
    ///
    /// After a ``TextDelivery/Outcome/refused(_:)`` the chain passes over such destinations, because the next one would type
    /// into the same field.
    var followsFocus: Bool { get }
    /// Returns why it can't work here, and what to do; `nil` if it can. Delivers nothing.
    func problem() async -> DictationError?
    /// Returns what has the focus now; `nil` if that is unknown. The service asks when a take begins.
    func focusedField() async -> FocusedField?
    /// Shows text that may still change. Called again with the whole text, and at last with an empty one.
    func preview(_ text: String, in field: FocusedField?) async
    /// Delivers a text.
    ///
    /// - Parameters:
    ///   - text: The text and its take. The text is not empty.
    ///   - field: What this destination said about the focus when the take began. The text goes there or nowhere; with
    ///     `nil` it goes to whatever has the focus.
    func deliver(_ text: DictatedText, into field: FocusedField?) async -> TextDelivery.Outcome
    /// Waits until everything that a text displaced for a while is back, such as the contents of the clipboard. The service
    /// asks before it ends; answer within seconds.
    func settle() async
}

extension TextDestination {
    /// `false`: the focus does not matter.
    public var followsFocus: Bool { false }
    /// Returns `nil`: the focus does not matter.
    public func focusedField() async -> FocusedField? { nil }
    /// Does nothing: only final text can be shown.
    public func preview(_ text: String, in field: FocusedField?) async {}
    /// Does nothing: nothing is displaced.
    public func settle() async {}
}

/// What had the focus at a moment: a field, or a window where fields can't be told apart.
public struct FocusedField: Sendable, Hashable, Codable {
    /// The identity, in the words of the destination that found it.
    public var id: String

    /// Creates a description.
    public init(id: String) { self.id = id }
}

/// A password or token, kept out of logs: its description never shows it.
///
/// ```swift
/// let token = Secret("an-example")
/// assert("\(token)" == "(secret)")
/// ```
public struct Secret: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The secret itself, to send and never to print.
    public let value: String

    /// Creates a secret.
    public init(_ value: String) { self.value = value }

    /// The text “(secret)”.
    public var description: String { "(secret)" }
    /// The text “(secret)”.
    public var debugDescription: String { description }
    /// Shows no parts.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

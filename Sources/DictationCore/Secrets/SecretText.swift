/// A password or token, kept out of logs: its description never shows it.
///
/// ```swift
/// let token = SecretText("an-example")
/// assert("\(token)" == "(secret)")
/// ```
public struct SecretText: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
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

extension SecretText {
    /// Where a secret is. It is read when it is needed, and stands in no settings, no arguments and no log.
    public enum Source: Sendable, Hashable {
        /// The value of an environment variable.
        case environment(String)
        /// The first line of a file.
        case file(String)
        /// The first line that a program writes, such as a password manager: its name, which is looked up in `PATH`, and its
        /// arguments.
        case command([String])
    }
}

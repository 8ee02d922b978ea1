/// The name of a speech engine. A model names the engine that it is for.
///
/// DictationEngines declares the names of its engines, such as `.pocketSphinx`. Write the name of any other engine as a
/// string: `"our-engine"`.
public struct EngineID: RawRepresentable, Sendable, Hashable, Codable, ExpressibleByStringLiteral {
    /// The name as text, as catalogs and settings contain it.
    public let rawValue: String

    /// Creates a name from text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Creates a name from a string literal.
    public init(stringLiteral value: String) { rawValue = value }
}

extension EngineID: CustomStringConvertible {
    /// The name as text.
    public var description: String { rawValue }
}

extension EngineID: Comparable {
    /// Sorts by text.
    public static func < (one: EngineID, other: EngineID) -> Bool { one.rawValue < other.rawValue }
}

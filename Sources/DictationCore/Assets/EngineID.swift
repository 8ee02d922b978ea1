/// The name of a speech engine, by which a model says which engine it is for.
///
/// DictationEngines declares those of its own engines, such as `.pocketSphinx`. Write the name of any other engine as a
/// string: `"our-engine"`.
public struct EngineID: RawRepresentable, Sendable, Hashable, Codable, ExpressibleByStringLiteral {
    /// The name as text, as it stands in catalogues and settings.
    public let rawValue: String

    /// Makes a name from text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Makes a name from a literal.
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

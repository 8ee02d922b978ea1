/// A language, and perhaps a region, as a BCP 47 tag: `en-US`, `de`.
///
/// `en_US`, `en-us` and `EN-US` are the same locale.
public struct SpeechLocale: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// The tag in its usual spelling, such as `en-US`.
    public let identifier: String

    /// Creates a locale from a tag.
    public init(_ identifier: String) {
        let parts = identifier.split(whereSeparator: { $0 == "-" || $0 == "_" })
        self.identifier = parts.enumerated().map { index, part in
            switch (index, part.count) {
            case (0, _): part.lowercased()
            case (_, 2): part.uppercased()
            case (_, 4): part.prefix(1).uppercased() + part.dropFirst().lowercased()
            default: part.lowercased()
            }
        }.joined(separator: "-")
    }

    /// The language without the region: `en` for `en-US`.
    public var language: String { String(identifier.prefix { $0 != "-" }) }
    /// The identifier.
    public var description: String { identifier }
    /// Sorts by identifier.
    public static func < (a: SpeechLocale, b: SpeechLocale) -> Bool { a.identifier < b.identifier }
}

extension SpeechLocale: ExpressibleByStringLiteral {
    /// Creates a locale from a string literal.
    public init(stringLiteral value: String) { self.init(value) }
}

extension SpeechLocale: Codable {
    /// Reads a locale from its identifier.
    public init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(String.self))
    }

    /// Writes the identifier.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(identifier)
    }
}

import FoundationEssentials

/// Any value of a JSON or JSON5 text.
package enum JSONValue: Sendable, Hashable {
    case null
    case flag(Bool)
    case number(Double)
    case text(String)
    case list([JSONValue])
    case object([String: JSONValue])

    /// Reads JSON; `nil` if it is none.
    package init?(json bytes: some Sequence<UInt8>) {
        guard let value = try? JSONDecoder().decode(JSONValue.self, from: Data(bytes)) else { return nil }
        self = value
    }

    /// Reads JSON5; `nil` if it is none.
    package init?(json5 bytes: [UInt8]) {
        let decoder = JSONDecoder()
        decoder.allowsJSON5 = true
        guard let value = try? decoder.decode(JSONValue.self, from: Data(bytes)) else { return nil }
        self = value
    }

    /// The value as JSON, on one line.
    package var json: String { JSONWriter.encode(self) }
}

extension JSONValue {
    /// The members of an object; `nil` for anything else.
    package var members: [String: JSONValue]? { if case .object(let members) = self { members } else { nil } }
    /// A text; `nil` for anything else.
    package var text: String? { if case .text(let text) = self { text } else { nil } }
    /// A whole number; `nil` for anything else.
    package var whole: Int? { if case .number(let number) = self { Int(exactly: number) } else { nil } }

    /// A member of an object; `nil` if there is none.
    package subscript(name: String) -> JSONValue? { members?[name] }
}

extension JSONValue: Codable {
    private struct Name: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    package init(from decoder: any Decoder) throws {
        // Texts and numbers come first, because they are the most frequent.
        let single = try decoder.singleValueContainer()
        if let text = try? single.decode(String.self) {
            self = .text(text)
        } else if let number = try? single.decode(Double.self) {
            self = .number(number)
        } else if let flag = try? single.decode(Bool.self) {
            self = .flag(flag)
        } else if single.decodeNil() {
            self = .null
        } else if let container = try? decoder.container(keyedBy: Name.self) {
            let pairs = try container.allKeys.map { ($0.stringValue, try container.decode(JSONValue.self, forKey: $0)) }
            self = .object(Dictionary(pairs) { $1 })
        } else {
            var container = try decoder.unkeyedContainer()
            var items: [JSONValue] = []
            while !container.isAtEnd { items.append(try container.decode(JSONValue.self)) }
            self = .list(items)
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .flag(let flag): try container.encode(flag)
        case .number(let number):
            if let whole = Int(exactly: number) { try container.encode(whole) } else { try container.encode(number) }
        case .text(let text): try container.encode(text)
        case .list(let items): try container.encode(items)
        case .object(let members): try container.encode(members)
        }
    }
}

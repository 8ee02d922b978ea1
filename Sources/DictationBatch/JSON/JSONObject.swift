import FoundationEssentials

/// The members of a JSON object, with their values exactly as they were written.
///
/// A decoder would lose the order of the members, and the digits of numbers that a `Double` can't hold.
struct JSONObject: Sendable, Hashable {
    struct Member: Sendable, Hashable {
        let key: String
        /// The value as JSON.
        let value: String
    }

    private(set) var members: [Member] = []

    init(_ members: [Member] = []) { self.members = members }

    /// Splits the text of an object. Returns `nil` if it is not an object.
    ///
    /// This only looks for the ends of the values. A text that a JSON decoder refuses may have members.
    init?(_ text: some Collection<UInt8>) {
        var scanner = Scanner(bytes: Array(text))
        guard let members = scanner.object() else { return nil }
        self.members = members
    }

    /// Returns the value of a key as JSON; `nil` if there is none. The last of several counts, as in a decoder.
    subscript(key: String) -> String? { members.last { $0.key == key }?.value }

    /// Returns the object without some of its members.
    func without(_ keys: Set<String>) -> JSONObject { JSONObject(members.filter { !keys.contains($0.key) }) }

    /// Adds the members of another object.
    mutating func append(_ other: JSONObject) { members += other.members }

    /// The object on one line.
    var text: String {
        "{" + members.map { JSONText.string($0.key) + ": " + $0.value }.joined(separator: ", ") + "}"
    }
}

/// Finds the values of an object in the bytes of a JSON text.
private struct Scanner {
    let bytes: [UInt8]
    var place = 0

    private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

    mutating func object() -> [JSONObject.Member]? {
        skipSpace()
        guard take("{") else { return nil }
        var members: [JSONObject.Member] = []
        skipSpace()
        if take("}") { return isAtEnd() ? members : nil }
        repeat {
            skipSpace()
            guard let quoted = string(), let key = JSONText.decoded(String.self, from: quoted) else { return nil }
            skipSpace()
            guard take(":") else { return nil }
            skipSpace()
            guard let value = value() else { return nil }
            members.append(JSONObject.Member(key: key, value: value))
            skipSpace()
        } while take(",")
        guard take("}"), isAtEnd() else { return nil }
        return members
    }

    private mutating func isAtEnd() -> Bool {
        skipSpace()
        return place == bytes.count
    }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || (0x09...0x0D).contains(byte) { place += 1 }
    }

    private mutating func take(_ mark: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: mark) else { return false }
        place += 1
        return true
    }

    /// Returns a string with its quotes.
    private mutating func string() -> String? {
        let start = place
        guard skipString() else { return nil }
        return String(decoding: bytes[start..<place], as: UTF8.self)
    }

    private mutating func skipString() -> Bool {
        guard take("\"") else { return false }
        while let byte = next {
            place += 1
            switch byte {
            case UInt8(ascii: "\""): return true
            case UInt8(ascii: "\\"): place += 1
            default: continue
            }
        }
        return false
    }

    /// Returns the text of a value of any kind.
    private mutating func value() -> String? {
        let start = place
        var depth = 0
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""): guard skipString() else { return nil }
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                place += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if depth == 0 { return text(from: start) }
                depth -= 1
                place += 1
            case UInt8(ascii: ",") where depth == 0: return text(from: start)
            default: place += 1
            }
        }
        return nil
    }

    private func text(from start: Int) -> String? {
        var end = place
        while end > start, bytes[end - 1] <= 0x20 { end -= 1 }
        return end > start ? String(decoding: bytes[start..<end], as: UTF8.self) : nil
    }
}

/// Small values as JSON.
enum JSONText {
    /// Returns a text as a JSON string.
    static func string(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 < 0x20 || $0 == 0x22 || $0 == 0x5C }) else { return "\"\(text)\"" }
        return encoded(text)
    }

    /// Returns a value as JSON on one line, with its members in the order of their names.
    static func encoded(_ value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? "null"
    }

    /// Returns the value of a JSON text; `nil` if it has another type.
    static func decoded<Value: Decodable>(_ type: Value.Type, from text: String) -> Value? {
        try? JSONDecoder().decode(Value.self, from: Data(text.utf8))
    }
}

import DictationSystem
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

    /// Splits the text of an object. Returns `nil` if it is not a JSON object. Of several members with the same key it
    /// keeps the last, as Python does.
    init?(_ text: some Collection<UInt8>) {
        let bytes = Array(text)
        guard String(validating: bytes, as: UTF8.self) != nil,
            let text = try? JSONPlaces(bytes, .json, depthLimit: 512, keepsTwins: true),
            let found = text.root.members
        else { return nil }
        let members = found.map { member in
            Member(key: member.name, value: String(decoding: bytes[member.value.range], as: UTF8.self))
        }
        // By their bytes: two keys that look equal are not the same.
        var places: [[UInt8]: Int] = [:]
        for member in members {
            let key = Array(member.key.utf8)
            if let place = places[key] {
                self.members[place] = member
            } else {
                places[key] = self.members.count
                self.members.append(member)
            }
        }
    }

    /// Returns the value of a key as JSON; `nil` if there is none.
    subscript(key: String) -> String? { members.first { $0.key == key }?.value }

    /// About how much memory the object needs.
    var byteCount: Int { members.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count } }

    /// Returns the object without some of its members.
    func without(_ keys: Set<String>) -> JSONObject { JSONObject(members.filter { !keys.contains($0.key) }) }

    /// Adds the members of another object.
    mutating func append(_ other: JSONObject) { members += other.members }

    /// The object on one line.
    var text: String {
        "{" + members.map { JSONText.string($0.key) + ": " + $0.value }.joined(separator: ", ") + "}"
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

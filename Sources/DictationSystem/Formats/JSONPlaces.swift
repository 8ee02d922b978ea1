import FoundationEssentials

/// The places of all values in a text of JSON or JSON5, so that an error can name a line, a value stays as it was written,
/// and a change keeps comments and order.
///
/// This finds places only. Foundation reads the values. In JSON, it takes nothing else than this; in JSON5 it refuses what
/// is none inside a value.
package struct JSONPlaces {
    package struct Problem: Error, Hashable {
        /// The byte at which it was found.
        package var place: Int
        /// The problem, for people.
        package var words: String

        package init(place: Int, words: String) { (self.place, self.words) = (place, words) }
    }

    package struct Value {
        package enum Kind {
            case single
            case list([Value])
            case object([Member])
        }

        package var range: Range<Int>
        package var kind: Kind

        package var members: [Member]? { if case .object(let members) = kind { members } else { nil } }
    }

    package struct Member {
        package var name: String
        package var place: Int
        package var value: Value
    }

    package enum Syntax { case json, json5 }

    package let bytes: [UInt8]
    package private(set) var root = Value(range: 0..<0, kind: .single)
    private var next = 0
    private let syntax: Syntax
    private let depthLimit: Int
    private let keepsTwins: Bool

    /// Reads a text to its end.
    ///
    /// - Parameters:
    ///   - depthLimit: How deep values may lie in each other.
    ///   - keepsTwins: Whether an object may have several members of a name.
    package init(
        _ bytes: [UInt8], _ syntax: Syntax, depthLimit: Int = 32, keepsTwins: Bool = false
    ) throws(Problem) {
        (self.bytes, self.syntax) = (bytes, syntax)
        (self.depthLimit, self.keepsTwins) = (depthLimit, keepsTwins)
        if syntax == .json5, bytes.starts(with: [0xEF, 0xBB, 0xBF]) { next = 3 }
        try skipSpace()
        root = try readValue(depth: 0)
        try skipSpace()
        guard next == bytes.count else { throw problem("nothing may follow the last brace") }
    }

    /// Returns the number of the line of a byte, from 1.
    package static func line(of place: Int, in bytes: [UInt8]) -> Int {
        1 + bytes[..<min(place, bytes.count)].count { $0 == UInt8(ascii: "\n") }
    }

    /// Reads a text in quotes; `nil` if a value is none, or has half a character.
    package func string(_ value: Range<Int>) -> String? {
        let inner = bytes[value].dropFirst().dropLast()
        guard let quote = bytes[value].first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
            return nil
        }
        if !inner.contains(UInt8(ascii: "\\")) { return String(validating: inner, as: UTF8.self) }
        let decoder = JSONDecoder()
        decoder.allowsJSON5 = syntax == .json5
        return try? decoder.decode(String.self, from: Data(bytes[value]))
    }

    // MARK: Reading

    private func problem(_ words: String) -> Problem { Problem(place: next, words: words) }

    private var byte: UInt8? { next < bytes.count ? bytes[next] : nil }

    private func isAt(_ text: StaticString) -> Bool {
        bytes[next...].starts(with: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    private mutating func take(_ wanted: Unicode.Scalar) -> Bool {
        guard byte == UInt8(ascii: wanted) else { return false }
        next += 1
        return true
    }

    private mutating func skipSpace() throws(Problem) {
        while let byte {
            switch byte {
            case 0x20, 0x09, 0x0A, 0x0D: next += 1
            case UInt8(ascii: "/") where syntax == .json5 && isAt("//"):
                while let byte = self.byte, byte != 0x0A { next += 1 }
            case UInt8(ascii: "/") where syntax == .json5 && isAt("/*"):
                let start = next
                next += 2
                while next < bytes.count, !isAt("*/") { next += 1 }
                guard next < bytes.count else { throw Problem(place: start, words: "the comment has no end") }
                next += 2
            default: return
            }
        }
    }

    private mutating func readValue(depth: Int) throws(Problem) -> Value {
        let start = next
        guard depth < depthLimit else { throw problem("the values lie too deep in each other") }
        switch byte {
        case nil: throw problem("a value is missing")
        case UInt8(ascii: "{"): return Value(range: start..<start, kind: .object(try readMembers(depth))).ending(next)
        case UInt8(ascii: "["): return Value(range: start..<start, kind: .list(try readItems(depth))).ending(next)
        case UInt8(ascii: "\""): try skipString()
        case UInt8(ascii: "'") where syntax == .json5: try skipString()
        default:
            while let byte, !Self.ends.contains(byte), byte > 0x20 { next += 1 }
            guard next > start, syntax == .json5 || Self.isWordOrNumber(bytes[start..<next]) else {
                next = start
                throw problem("a value is missing")
            }
        }
        return Value(range: start..<next, kind: .single)
    }

    /// The characters that end a number or a word.
    private static let ends = Set(#",:[]{}"'/"#.utf8)

    private static func isWordOrNumber(_ text: ArraySlice<UInt8>) -> Bool {
        if ["true", "false", "null"].contains(where: { text.elementsEqual($0.utf8) }) { return true }
        var rest = text
        func take(_ marks: String) -> Bool {
            guard let first = rest.first, marks.utf8.contains(first) else { return false }
            rest.removeFirst()
            return true
        }
        func digits() -> Bool {
            let count = rest.prefix { (0x30...0x39).contains($0) }.count
            rest.removeFirst(count)
            return count > 0
        }
        _ = take("-")
        guard take("0") || digits() else { return false }
        if take(".") { guard digits() else { return false } }
        if take("eE") {
            _ = take("+-")
            guard digits() else { return false }
        }
        return rest.isEmpty
    }

    private mutating func skipString() throws(Problem) {
        let (start, quote) = (next, byte)
        next += 1
        while let byte, byte != quote {
            guard byte != 0x0A, syntax == .json5 || byte >= 0x20 else { break }
            guard byte == UInt8(ascii: "\\") else {
                next += 1
                continue
            }
            if syntax == .json { try checkEscape() }
            // A backslash may continue the text on the next line.
            next += 2
        }
        guard next < bytes.count, byte == quote else {
            throw Problem(place: start, words: "the text has no closing quote")
        }
        next += 1
    }

    private func checkEscape() throws(Problem) {
        let escape = next + 1 < bytes.count ? bytes[next + 1] : 0
        guard escape == UInt8(ascii: "u") else {
            guard #""\/bfnrt"#.utf8.contains(escape) else {
                throw problem("“\\\(String(decoding: [escape], as: UTF8.self))” has no meaning in a text")
            }
            return
        }
        let digits = bytes[(next + 2)...].prefix(4)
        guard digits.count == 4, digits.allSatisfy({ Unicode.Scalar($0).properties.isASCIIHexDigit }) else {
            throw problem("four hexadecimal digits are missing after \\u")
        }
    }

    private mutating func readItems(_ depth: Int) throws(Problem) -> [Value] {
        next += 1
        var items: [Value] = []
        while true {
            try skipSpace()
            if items.isEmpty || syntax == .json5, take("]") { return items }
            items.append(try readValue(depth: depth + 1))
            try skipSpace()
            if take(",") { continue }
            guard take("]") else { throw problem("a comma or “]” is missing") }
            return items
        }
    }

    private mutating func readMembers(_ depth: Int) throws(Problem) -> [Member] {
        next += 1
        var members: [Member] = []
        while true {
            try skipSpace()
            if members.isEmpty || syntax == .json5, take("}") { return members }
            let place = next
            let name = try readName()
            guard keepsTwins || !members.contains(where: { $0.name == name }) else {
                throw Problem(place: place, words: "“\(name)” is there twice")
            }
            try skipSpace()
            guard take(":") else { throw problem("a colon is missing after “\(name)”") }
            try skipSpace()
            members.append(Member(name: name, place: place, value: try readValue(depth: depth + 1)))
            try skipSpace()
            if take(",") { continue }
            guard take("}") else { throw problem("a comma or “}” is missing") }
            return members
        }
    }

    private mutating func readName() throws(Problem) -> String {
        let start = next
        if byte == UInt8(ascii: "\"") || (byte == UInt8(ascii: "'") && syntax == .json5) {
            try skipString()
            guard let name = string(start..<next) else { throw Problem(place: start, words: "the name can't be read") }
            return name
        }
        guard syntax == .json5 else { throw problem("a name in quotes is missing") }
        while let byte, Self.isInName(byte) { next += 1 }
        guard next > start, !(0x30...0x39).contains(bytes[start]) else {
            throw Problem(place: start, words: "a name is missing, or needs quotes")
        }
        return String(decoding: bytes[start..<next], as: UTF8.self)
    }

    /// Whether a name without quotes may have the byte.
    package static func isInName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), 0x30...0x39,
            UInt8(ascii: "_"), UInt8(ascii: "$"):
            true
        default: false
        }
    }
}

extension JSONPlaces.Value {
    fileprivate func ending(_ end: Int) -> Self { Self(range: range.lowerBound..<end, kind: kind) }
}

import DictationCore
import DictationText

/// The places of all values in a JSON5 text, so that an error can name a line, and a change keeps comments and order.
///
/// This finds places only. Foundation reads the values, and refuses what is no JSON5 inside them.
struct JSON5Text {
    struct Problem: Error, Hashable {
        /// The byte at which it was found.
        var place: Int
        /// What is wrong, for people.
        var words: String
    }

    struct Value {
        enum Kind {
            case single
            case list([Value])
            case object([Member])
        }

        var range: Range<Int>
        var kind: Kind

        var members: [Member]? { if case .object(let members) = kind { members } else { nil } }
    }

    struct Member {
        var name: String
        var place: Int
        var value: Value
    }

    let bytes: [UInt8]
    private(set) var root = Value(range: 0..<0, kind: .single)
    private var next = 0
    /// How deep values may lie in each other.
    private static let depthLimit = 32

    init(_ bytes: [UInt8]) throws(Problem) {
        self.bytes = bytes
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { next = 3 }
        try skipSpace()
        root = try readValue(depth: 0)
        try skipSpace()
        guard next == bytes.count else { throw problem("nothing may follow the last brace") }
    }

    /// Returns the number of the line of a byte, from 1.
    func line(of place: Int) -> Int {
        1 + bytes[..<min(place, bytes.count)].count { $0 == UInt8(ascii: "\n") }
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
            case UInt8(ascii: "/") where isAt("//"):
                while let byte = self.byte, byte != 0x0A { next += 1 }
            case UInt8(ascii: "/") where isAt("/*"):
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
        guard depth < Self.depthLimit else { throw problem("the values lie too deep in each other") }
        switch byte {
        case nil: throw problem("a value is missing")
        case UInt8(ascii: "{"): return Value(range: start..<start, kind: .object(try readMembers(depth))).ending(next)
        case UInt8(ascii: "["): return Value(range: start..<start, kind: .list(try readItems(depth))).ending(next)
        case UInt8(ascii: "\""), UInt8(ascii: "'"): try skipString()
        default:
            while let byte, !Self.ends.contains(byte), byte > 0x20 { next += 1 }
            guard next > start else { throw problem("a value is missing") }
        }
        return Value(range: start..<next, kind: .single)
    }

    /// The characters that end a number or a word.
    private static let ends = Set(#",:[]{}"'/"#.utf8)

    private mutating func skipString() throws(Problem) {
        let (start, quote) = (next, byte)
        next += 1
        while let byte, byte != quote {
            guard byte != 0x0A else { break }
            // A backslash may continue the text on the next line.
            next += byte == UInt8(ascii: "\\") ? 2 : 1
        }
        guard next < bytes.count, byte == quote else {
            throw Problem(place: start, words: "the text has no closing quote")
        }
        next += 1
    }

    private mutating func readItems(_ depth: Int) throws(Problem) -> [Value] {
        next += 1
        var items: [Value] = []
        while true {
            try skipSpace()
            if take("]") { return items }
            items.append(try readValue(depth: depth + 1))
            try skipSpace()
            guard take(",") || byte == UInt8(ascii: "]") else { throw problem("a comma or “]” is missing") }
        }
    }

    private mutating func readMembers(_ depth: Int) throws(Problem) -> [Member] {
        next += 1
        var members: [Member] = []
        while true {
            try skipSpace()
            if take("}") { return members }
            let place = next
            let name = try readName()
            guard !members.contains(where: { $0.name == name }) else {
                throw Problem(place: place, words: "“\(name)” is there twice")
            }
            try skipSpace()
            guard take(":") else { throw problem("a colon is missing after “\(name)”") }
            try skipSpace()
            members.append(Member(name: name, place: place, value: try readValue(depth: depth + 1)))
            try skipSpace()
            guard take(",") || byte == UInt8(ascii: "}") else { throw problem("a comma or “}” is missing") }
        }
    }

    private mutating func readName() throws(Problem) -> String {
        let start = next
        if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
            try skipString()
            guard case .text(let name)? = JSONValue(json5: Array(bytes[start..<next])) else {
                throw Problem(place: start, words: "the name can't be read")
            }
            return name
        }
        while let byte, Self.isInName(byte) { next += 1 }
        guard next > start, !(0x30...0x39).contains(bytes[start]) else {
            throw Problem(place: start, words: "a name is missing, or needs quotes")
        }
        return String(decoding: bytes[start..<next], as: UTF8.self)
    }

    /// Whether a name without quotes may have the byte.
    static func isInName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), 0x30...0x39,
            UInt8(ascii: "_"), UInt8(ascii: "$"):
            true
        default: false
        }
    }
}

extension JSON5Text.Value {
    fileprivate func ending(_ end: Int) -> Self { Self(range: range.lowerBound..<end, kind: kind) }
}

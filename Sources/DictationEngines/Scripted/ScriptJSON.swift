/// A JSON value with its line, so that an error can name the line.
struct LocatedJSON {
    enum Kind {
        case null
        case bool(Bool)
        case number(String)
        case string(String)
        case array([LocatedJSON])
        case object([(key: String, value: LocatedJSON)])
    }

    /// An error in a text: its line, and what is wrong there.
    struct Problem: Error {
        let line: Int
        let what: String
    }

    let line: Int
    let kind: Kind

    init(line: Int, kind: Kind) {
        self.line = line
        self.kind = kind
    }

    /// Reads a JSON text to its end.
    init(reading bytes: some Sequence<UInt8>) throws(Problem) {
        var reader = LocatedJSONReader(bytes: Array(bytes))
        self = try reader.readDocument()
    }

    /// The value, for error messages.
    var name: String {
        switch kind {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .number(let text): text
        case .string(let text): "\"\(text)\""
        case .array: "a list"
        case .object: "an object"
        }
    }
}

private struct LocatedJSONReader {
    private static let maximumDepth = 32
    private let bytes: [UInt8]
    private var index = 0
    private var line = 1

    init(bytes: [UInt8]) { self.bytes = bytes }

    mutating func readDocument() throws(LocatedJSON.Problem) -> LocatedJSON {
        let value = try readValue(depth: 0)
        skipSpaces()
        guard index == bytes.count else { throw problem("there is more text after the end") }
        return value
    }

    private mutating func readValue(depth: Int) throws(LocatedJSON.Problem) -> LocatedJSON {
        guard depth < Self.maximumDepth else { throw problem("it is nested too deeply") }
        skipSpaces()
        let line = line
        guard let byte = peek else { throw problem("a value is missing at the end") }
        switch byte {
        case UInt8(ascii: "{"): return LocatedJSON(line: line, kind: .object(try readObject(depth: depth)))
        case UInt8(ascii: "["): return LocatedJSON(line: line, kind: .array(try readArray(depth: depth)))
        case UInt8(ascii: "\""): return LocatedJSON(line: line, kind: .string(try readString()))
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            return LocatedJSON(line: line, kind: .number(take { Self.numberBytes.contains($0) }))
        default:
            let word = take { $0 >= UInt8(ascii: "a") && $0 <= UInt8(ascii: "z") }
            switch word {
            case "null": return LocatedJSON(line: line, kind: .null)
            case "true": return LocatedJSON(line: line, kind: .bool(true))
            case "false": return LocatedJSON(line: line, kind: .bool(false))
            default: throw problem("a value is missing here")
            }
        }
    }

    private mutating func readObject(depth: Int) throws(LocatedJSON.Problem) -> [(key: String, value: LocatedJSON)] {
        var members: [(key: String, value: LocatedJSON)] = []
        index += 1
        if takes("}") { return members }
        repeat {
            skipSpaces()
            guard peek == UInt8(ascii: "\"") else { throw problem("a name in quotes is missing here") }
            let key = try readString()
            guard !members.contains(where: { $0.key == key }) else { throw problem("“\(key)” appears twice") }
            guard takes(":") else { throw problem("a “:” is missing after “\(key)”") }
            members.append((key, try readValue(depth: depth + 1)))
        } while takes(",")
        guard takes("}") else { throw problem("a “,” or “}” is missing here") }
        return members
    }

    private mutating func readArray(depth: Int) throws(LocatedJSON.Problem) -> [LocatedJSON] {
        var values: [LocatedJSON] = []
        index += 1
        if takes("]") { return values }
        repeat { values.append(try readValue(depth: depth + 1)) } while takes(",")
        guard takes("]") else { throw problem("a “,” or “]” is missing here") }
        return values
    }

    private mutating func readString() throws(LocatedJSON.Problem) -> String {
        index += 1
        var text: [UInt8] = []
        while let byte = peek {
            index += 1
            switch byte {
            case UInt8(ascii: "\""):
                guard let string = String(validating: text, as: UTF8.self) else { throw problem("a text is not UTF-8") }
                return string
            case UInt8(ascii: "\\"): text.append(contentsOf: String(try readEscape()).utf8)
            case 0..<0x20: throw problem("a text is not closed on its line")
            default: text.append(byte)
            }
        }
        throw problem("a text is not closed")
    }

    private mutating func readEscape() throws(LocatedJSON.Problem) -> Character {
        guard let byte = peek else { throw problem("a text is not closed") }
        index += 1
        switch byte {
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Character(Unicode.Scalar(byte))
        case UInt8(ascii: "u"):
            let first = try readUnit()
            if let scalar = Unicode.Scalar(first) { return Character(scalar) }
            guard first < 0xDC00, bytes[index...].starts(with: [UInt8(ascii: "\\"), UInt8(ascii: "u")]) else {
                throw problem("half a character is missing after \\u")
            }
            index += 2
            let second = try readUnit()
            guard (0xDC00...0xDFFF).contains(second),
                let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
            else { throw problem("half a character is missing after \\u") }
            return Character(scalar)
        default: throw problem("“\\\(Character(Unicode.Scalar(byte)))” has no meaning in a text")
        }
    }

    private mutating func readUnit() throws(LocatedJSON.Problem) -> UInt32 {
        let digits = String(decoding: bytes[index...].prefix(4), as: UTF8.self)
        guard digits.utf8.count == 4, digits.allSatisfy(\.isHexDigit), let unit = UInt32(digits, radix: 16) else {
            throw problem("four hexadecimal digits are missing after \\u")
        }
        index += 4
        return unit
    }

    // MARK: Bytes

    private static let numberBytes = Set("+-.0123456789eE".utf8)
    private var peek: UInt8? { index < bytes.count ? bytes[index] : nil }

    private mutating func takes(_ character: Unicode.Scalar) -> Bool {
        skipSpaces()
        guard let byte = peek, UInt32(byte) == character.value else { return false }
        index += 1
        return true
    }

    private mutating func take(while isTaken: (UInt8) -> Bool) -> String {
        let start = index
        while let byte = peek, isTaken(byte) { index += 1 }
        return String(decoding: bytes[start..<index], as: UTF8.self)
    }

    private mutating func skipSpaces() {
        while let byte = peek, [0x20, 0x09, 0x0A, 0x0D].contains(byte) {
            if byte == 0x0A { line += 1 }
            index += 1
        }
    }

    private func problem(_ what: String) -> LocatedJSON.Problem { .init(line: line, what: what) }
}

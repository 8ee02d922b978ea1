/// Finds the members of an object in a JSON text, and checks the text. Needs no more stack for a deeper text.
struct JSONScanner {
    private let bytes: [UInt8]
    private var place = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

    /// Returns the members of the object; `nil` if the text is not a JSON object.
    mutating func object() -> [JSONObject.Member]? {
        guard String(validating: bytes, as: UTF8.self) != nil else { return nil }
        var members: [JSONObject.Member] = []
        skipSpace()
        guard take("{") else { return nil }
        skipSpace()
        if take("}") { return isAtEnd() ? members : nil }
        repeat {
            let start = place
            guard key() else { return nil }
            guard let key = JSONText.decoded(String.self, from: text(from: start, to: keyEnd)) else { return nil }
            let valueStart = place
            guard value() else { return nil }
            members.append(JSONObject.Member(key: key, value: text(from: valueStart, to: place)))
            skipSpace()
        } while take(",")
        return take("}") && isAtEnd() ? members : nil
    }

    private var keyEnd = 0

    /// Moves behind a key and its colon, to the value.
    private mutating func key() -> Bool {
        skipSpace()
        guard string() else { return false }
        keyEnd = place
        skipSpace()
        guard take(":") else { return false }
        skipSpace()
        return true
    }

    /// Moves behind a value of any kind.
    private mutating func value() -> Bool {
        /// The ends of the lists and objects around the place.
        var ends: [UInt8] = []
        repeat {
            skipSpace()
            if take("{") {
                skipSpace()
                if !take("}") {
                    ends.append(UInt8(ascii: "}"))
                    guard key() else { return false }
                    continue
                }
            } else if take("[") {
                skipSpace()
                if !take("]") {
                    ends.append(UInt8(ascii: "]"))
                    continue
                }
            } else {
                guard simpleValue() else { return false }
            }
            guard closeAll(&ends) else { return false }
        } while !ends.isEmpty
        return true
    }

    /// After a value, moves behind all ends that follow, or to the next value of the list or object.
    private mutating func closeAll(_ ends: inout [UInt8]) -> Bool {
        while let end = ends.last {
            skipSpace()
            if take(",") { return end == UInt8(ascii: "]") || key() }
            guard next == end else { return false }
            place += 1
            ends.removeLast()
        }
        return true
    }

    private mutating func simpleValue() -> Bool {
        if next == UInt8(ascii: "\"") { return string() }
        return word("true") || word("false") || word("null") || number()
    }

    private mutating func word(_ word: StaticString) -> Bool {
        let isHere = word.withUTF8Buffer { bytes[place...].starts(with: $0) }
        if isHere { place += word.utf8CodeUnitCount }
        return isHere
    }

    private mutating func number() -> Bool {
        _ = take("-")
        if !take("0") { guard digits() else { return false } }
        if take(".") { guard digits() else { return false } }
        if take("e") || take("E") {
            if !take("+") { _ = take("-") }
            return digits()
        }
        return true
    }

    private mutating func digits() -> Bool {
        let start = place
        while let byte = next, (0x30...0x39).contains(byte) { place += 1 }
        return place > start
    }

    private mutating func string() -> Bool {
        guard take("\"") else { return false }
        while let byte = next {
            place += 1
            switch byte {
            case UInt8(ascii: "\""): return true
            case UInt8(ascii: "\\"): guard escape() else { return false }
            case 0..<0x20: return false
            default: continue
            }
        }
        return false
    }

    private mutating func escape() -> Bool {
        guard let byte = next else { return false }
        place += 1
        guard byte == UInt8(ascii: "u") else { return "\"\\/bfnrt".utf8.contains(byte) }
        let digits = bytes[place...].prefix(4)
        place += digits.count
        return digits.count == 4 && digits.allSatisfy { Unicode.Scalar($0).properties.isASCIIHexDigit }
    }

    private mutating func isAtEnd() -> Bool {
        skipSpace()
        return place == bytes.count
    }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { place += 1 }
    }

    private mutating func take(_ mark: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: mark) else { return false }
        place += 1
        return true
    }

    private func text(from start: Int, to end: Int) -> String { String(decoding: bytes[start..<end], as: UTF8.self) }
}

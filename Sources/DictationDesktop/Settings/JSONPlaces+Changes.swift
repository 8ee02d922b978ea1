import DictationSystem
import DictationText

/// Changes keep all comments, the order and the layout of everything else.
extension JSONPlaces {
    /// Returns the text with another value of a setting, which is added if it is not there.
    ///
    /// - Parameters:
    ///   - path: The names on the way to the setting. It may not be empty.
    ///   - literal: The value as JSON.
    /// - Returns: The bytes; `nil` if something on the way is not an object.
    func setting(_ path: [String], to literal: String) -> [UInt8]? {
        var value = root
        for (depth, name) in path.enumerated() {
            guard let members = value.members else { return nil }
            guard let member = members.first(where: { $0.name == name }) else {
                return adding(path[depth...], literal, to: value, members)
            }
            value = member.value
        }
        return replacing(value.range, with: literal)
    }

    /// Returns the text without a setting; `nil` if it is not there.
    func removing(_ path: [String]) -> [UInt8]? {
        var (value, member) = (root, Member?.none)
        for name in path {
            guard let found = value.members?.first(where: { $0.name == name }) else { return nil }
            (value, member) = (found.value, found)
        }
        guard let member else { return nil }
        var (start, end) = (member.place, member.value.range.upperBound)
        if let comma = comma(after: end) { end = comma + 1 }
        // A line with nothing else on it goes away as a whole.
        if isBlank(lineStart(of: start)..<start), let lineEnd = blankLineEnd(from: end) {
            (start, end) = (lineStart(of: start), lineEnd)
        }
        return replacing(start..<end, with: "")
    }

    private func adding(
        _ path: ArraySlice<String>, _ literal: String, to object: Value, _ members: [Member]
    ) -> [UInt8] {
        let brace = object.range.upperBound - 1
        let line = lineStart(of: brace)
        let outer = indent(of: line)
        let last = members.last?.value.range.upperBound
        let lastComma = last.flatMap { comma(after: $0) }
        var changed = bytes
        if isBlank(line..<brace) {
            // The brace is alone on its line, so the new member gets the line before it.
            let others = members.first.map { indent(of: lineStart(of: $0.place)) } ?? ""
            let inner = others.count > outer.count ? others : outer + "  "
            changed.insert(contentsOf: (inner + Self.member(path, literal, inner) + ",\n").utf8, at: line)
            if let last, lastComma == nil { changed.insert(UInt8(ascii: ","), at: last) }
        } else if let last {
            let new = (lastComma == nil ? ", " : " ") + Self.member(path, literal, outer + "  ")
            changed.insert(contentsOf: new.utf8, at: lastComma.map { $0 + 1 } ?? last)
        } else {
            let new = "\n\(outer)  " + Self.member(path, literal, outer + "  ") + ",\n\(outer)"
            changed.insert(contentsOf: new.utf8, at: brace)
        }
        return changed
    }

    /// Returns a member, and the objects around it that are missing too.
    private static func member(_ path: ArraySlice<String>, _ literal: String, _ indent: String) -> String {
        guard let name = path.first else { return literal }
        let isPlain = name.utf8.allSatisfy(isInName) && name.utf8.first.map { !(0x30...0x39).contains($0) } ?? false
        let start = (isPlain ? name : JSONValue.text(name).json) + ": "
        guard path.count > 1 else { return start + literal }
        return start + "{\n\(indent)  " + member(path.dropFirst(), literal, indent + "  ") + ",\n\(indent)}"
    }

    private func replacing(_ range: Range<Int>, with text: String) -> [UInt8] {
        bytes[..<range.lowerBound] + Array(text.utf8) + bytes[range.upperBound...]
    }

    // MARK: Places

    private func lineStart(of place: Int) -> Int {
        bytes[..<place].lastIndex(of: 0x0A).map { $0 + 1 } ?? (bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0)
    }

    /// Returns the spaces at the start of a line.
    private func indent(of line: Int) -> String {
        String(decoding: bytes[line...].prefix { $0 == 0x20 || $0 == 0x09 }, as: UTF8.self)
    }

    private func isBlank(_ range: Range<Int>) -> Bool { bytes[range].allSatisfy { $0 == 0x20 || $0 == 0x09 } }

    /// Returns the start of the next line if nothing but spaces comes before it.
    private func blankLineEnd(from place: Int) -> Int? {
        guard let end = bytes[place...].firstIndex(where: { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D }) else {
            return bytes.count
        }
        return bytes[end] == 0x0A ? end + 1 : nil
    }

    /// Returns the place of the comma after a value; `nil` if there is none.
    private func comma(after place: Int) -> Int? {
        var place = place
        while place < bytes.count {
            switch bytes[place] {
            case 0x20, 0x09, 0x0A, 0x0D: place += 1
            case UInt8(ascii: "/") where bytes[place...].starts(with: [0x2F, 0x2F]):
                place = bytes[place...].firstIndex(of: 0x0A) ?? bytes.count
            case UInt8(ascii: "/"):
                // The text was read before, so the comment has an end.
                place += 2
                while place < bytes.count, !bytes[place...].starts(with: [0x2A, 0x2F]) { place += 1 }
                place += 2
            case UInt8(ascii: ","): return place
            default: return nil
            }
        }
        return nil
    }
}

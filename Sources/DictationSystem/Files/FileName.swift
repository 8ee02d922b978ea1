import DictationCore

/// The name of one file or folder: one component of a path. Its initializers check it; `==` compares its bytes.
///
/// Swift compares and splits a `String` by the characters that a reader sees, but the system uses bytes. Where the two
/// differ, a slash can hide inside a character, and two different files can have equal names. So never look up, compare
/// or split a file name as a `String`.
package struct FileName: Hashable, Comparable, Sendable {
    package let bytes: [UInt8]

    /// Creates a name that a catalog, an archive or a program chose. Untrusted names use this strict check.
    ///
    /// The name must be text in its composed form (NFC). It must not contain invisible characters, or characters that
    /// reverse the text around them.
    package init(_ bytes: some Sequence<UInt8>) throws(FileNameFault) {
        try self.init(anySpelling: bytes)
        guard let text = String(validating: self.bytes, as: UTF8.self) else { throw .notText }
        guard text.unicodeScalars.allSatisfy({ !$0.isUnseenInNames }) else { throw .controlCharacter }
        var span = text.utf8Span
        guard span.checkForNFC(quickCheck: false) else { throw .notComposed }
        // No character joins a slash, so code that splits a whole path as a `String` still finds every slash.
        guard ("/" + text + "/").count == text.count + 2 else { throw .joinsSlash }
    }

    /// Creates a name that a catalog, an archive or a program chose, with the same strict check.
    package init(_ text: String) throws(FileNameFault) { try self.init(text.utf8) }

    /// Creates a name that the user chose or the system listed. Accepts everything that can be the name of a file.
    package init(anySpelling bytes: some Sequence<UInt8>) throws(FileNameFault) {
        let bytes = Array(bytes)
        guard !bytes.isEmpty else { throw .empty }
        guard bytes != [0x2E], bytes != [0x2E, 0x2E] else { throw .climbs }
        guard !bytes.contains(0x2F) else { throw .slash }
        guard !bytes.contains(0) else { throw .controlCharacter }
        guard bytes.count <= 255 else { throw .tooLong }
        self.bytes = bytes
    }

    /// Creates a name from a literal in the source code, without a check.
    package init(fixed name: StaticString) { bytes = name.withUTF8Buffer(Array.init) }

    /// Creates a name from a number and a file extension.
    package init(numbered number: Int, _ ending: StaticString) {
        bytes = Array("\(number).".utf8) + ending.withUTF8Buffer(Array.init)
    }

    /// Creates a name from a prefix and random letters, so that no existing file has this name.
    package init(randomAfter prefix: StaticString) {
        let number = (0..<2).map { _ in String(UInt64.random(in: 0 ... .max), radix: 36) }.joined()
        bytes = prefix.withUTF8Buffer(Array.init) + Array(number.utf8)
    }

    /// The name as text. Use it to build a path or to show the name, but not to compare names.
    package var text: String { String(decoding: bytes, as: UTF8.self) }

    var cString: [CChar] { bytes.map(CChar.init(bitPattern:)) + [0] }

    package static func < (one: FileName, other: FileName) -> Bool { one.bytes.lexicographicallyPrecedes(other.bytes) }
}

/// The reason why bytes are not a valid name or path.
package enum FileNameFault: Error, Hashable, Sendable {
    case empty, climbs, slash, absolute, tooLong, tooDeep, notText, controlCharacter, notComposed, joinsSlash

    /// The reason in words. They complete "The name …".
    package var words: String {
        switch self {
        case .empty: "is empty"
        case .climbs: "points outside its folder"
        case .slash: "has a slash"
        case .absolute: "is absolute"
        case .tooLong: "is too long"
        case .tooDeep: "has too many folders"
        case .notText: "is not UTF-8"
        case .controlCharacter: "has a control character"
        case .notComposed: "is not in Unicode's composed form, NFC"
        case .joinsSlash: "begins or ends with a character that joins a slash"
        }
    }
}

/// Returns a name or path for a message. Spells out invisible characters, so that two different names never look equal.
package func visible(_ bytes: some Sequence<UInt8>) -> String { visible(String(decoding: Array(bytes), as: UTF8.self)) }

/// Returns a text for a message. Shortens a text that is longer than any path.
package func visible(_ text: String) -> String {
    let longestPath = 4_096
    guard text.utf8.count > longestPath else { return text.visible }
    return String(decoding: text.utf8.prefix(longestPath), as: UTF8.self).visible + "…"
}

import DictationCore

/// The name of one file or folder: one component of a path, checked when it is made and compared by its bytes.
///
/// Swift compares and splits a `String` by what a reader sees, the system by bytes. Where the two differ, a slash hides
/// in a character, and two files have one name. So no file name is looked up, compared or split as a `String`.
package struct FileName: Hashable, Comparable, Sendable {
    package let bytes: [UInt8]

    /// A name that a catalogue, an archive or a program chose. It is text in its composed form (NFC), without anything
    /// that a reader can't see or that turns the text around it.
    package init(_ bytes: some Sequence<UInt8>) throws(FileNameFault) {
        try self.init(anySpelling: bytes)
        guard let text = String(validating: self.bytes, as: UTF8.self) else { throw .notText }
        guard text.unicodeScalars.allSatisfy({ !$0.isUnseenInNames }) else { throw .controlCharacter }
        var span = text.utf8Span
        guard span.checkForNFC(quickCheck: false) else { throw .notComposed }
        // Code that handles a whole path as a `String` still finds its slashes.
        guard ("/" + text + "/").count == text.count + 2 else { throw .joinsSlash }
    }

    /// A name that a catalogue, an archive or a program chose.
    package init(_ text: String) throws(FileNameFault) { try self.init(text.utf8) }

    /// A name that the user chose, or that the system listed: whatever can be the name of a file.
    package init(anySpelling bytes: some Sequence<UInt8>) throws(FileNameFault) {
        let bytes = Array(bytes)
        guard !bytes.isEmpty else { throw .empty }
        guard bytes != [0x2E], bytes != [0x2E, 0x2E] else { throw .climbs }
        guard !bytes.contains(0x2F) else { throw .slash }
        guard !bytes.contains(0) else { throw .controlCharacter }
        guard bytes.count <= 255 else { throw .tooLong }
        self.bytes = bytes
    }

    /// A name that stands in the source.
    package init(fixed name: StaticString) { bytes = name.withUTF8Buffer(Array.init) }

    /// A name that is a number and an ending.
    package init(numbered number: Int, _ ending: StaticString) {
        bytes = Array("\(number).".utf8) + ending.withUTF8Buffer(Array.init)
    }

    /// A name of random letters that no file has.
    package init(randomAfter prefix: StaticString) {
        let number = (0..<2).map { _ in String(UInt64.random(in: 0 ... .max), radix: 36) }.joined()
        bytes = prefix.withUTF8Buffer(Array.init) + Array(number.utf8)
    }

    /// The name as text, to build a path from or to show; not to compare.
    package var text: String { String(decoding: bytes, as: UTF8.self) }

    var cString: [CChar] { bytes.map(CChar.init(bitPattern:)) + [0] }

    package static func < (one: FileName, other: FileName) -> Bool { one.bytes.lexicographicallyPrecedes(other.bytes) }
}

/// What keeps bytes from being a name or a path.
package enum FileNameFault: Error, Hashable, Sendable {
    case empty, climbs, slash, absolute, tooLong, tooDeep, notText, controlCharacter, notComposed, joinsSlash

    /// Completes "The name …".
    package var words: String {
        switch self {
        case .empty: "is empty"
        case .climbs: "leads out of its folder"
        case .slash: "has a slash"
        case .absolute: "is absolute"
        case .tooLong: "is too long"
        case .tooDeep: "lies too deep"
        case .notText: "is not UTF-8"
        case .controlCharacter: "has a control character"
        case .notComposed: "is not in Unicode's composed form, NFC"
        case .joinsSlash: "begins or ends with a character that joins a slash"
        }
    }
}

/// A name or path as a message may show it: what can't be seen is spelled out, so that it can't pass for something else.
package func visible(_ bytes: some Sequence<UInt8>) -> String { visible(String(decoding: Array(bytes), as: UTF8.self)) }

/// A text as a message may show it; of one that is longer than any path, the beginning.
package func visible(_ text: String) -> String {
    let longestPath = 4_096
    guard text.utf8.count > longestPath else { return text.visible }
    return String(decoding: text.utf8.prefix(longestPath), as: UTF8.self).visible + "…"
}

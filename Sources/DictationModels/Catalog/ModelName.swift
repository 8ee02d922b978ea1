import DictationCore
import DictationSystem

extension FileName {
    /// The name of the receipt in an installed model's folder. Only the store writes this file.
    static let modelReceipt = FileName(fixed: ".model.json")

    /// Creates the name of a model's folder. Returns `nil` if the id is not a valid name.
    init?(model id: ModelAsset.ID) {
        // A first letter or digit keeps the folder visible, and keeps a pasted name from being taken as an option.
        guard (1...100).contains(id.utf8.count), let first = id.utf8.first, first.isSmallLetterOrDigit,
            id.utf8.allSatisfy(\.isOfModelName), let name = try? FileName(id)
        else { return nil }
        self = name
    }
}

extension UInt8 {
    /// Whether the byte is a lowercase letter, a digit, `.`, `-` or `_`.
    var isOfModelName: Bool {
        isSmallLetterOrDigit || [UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_")].contains(self)
    }

    var isSmallLetterOrDigit: Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self)
    }
}

extension String {
    /// Whether a catalog may use this text as a name: at most 200 bytes on one line, without invisible characters. Two
    /// such names cannot differ only in characters that nobody sees.
    var isPlainLabel: Bool {
        utf8.count <= 200
            && unicodeScalars.allSatisfy { !$0.isUnseenInNames && !$0.properties.isDefaultIgnorableCodePoint }
    }
}

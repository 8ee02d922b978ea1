import DictationCore
import DictationFiles

extension FileName {
    /// The receipt of an installed model, which the store writes itself.
    static let modelReceipt = FileName(fixed: ".model.json")

    /// The name of a model's folder; `nil` for an id that can't be one.
    init?(model id: ModelAsset.ID) {
        // What begins with a letter or digit is neither hidden nor an option in a command that is pasted.
        guard (1...100).contains(id.utf8.count), let first = id.utf8.first, first.isSmallLetterOrDigit,
            id.utf8.allSatisfy(\.isOfModelName), let name = try? FileName(id)
        else { return nil }
        self = name
    }
}

extension UInt8 {
    /// Small letters, digits, `.`, `-` and `_`.
    var isOfModelName: Bool {
        isSmallLetterOrDigit || [UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_")].contains(self)
    }

    var isSmallLetterOrDigit: Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self)
    }
}

extension String {
    /// Whether a catalogue may call something so: one line of text that shows what it is.
    var isPlainLabel: Bool { utf8.count <= 200 && unicodeScalars.allSatisfy { !$0.isUnseenInNames } }
}

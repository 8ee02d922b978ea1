import DictationCore
import DictationFiles

extension FileName {
    /// The name of a model's folder; `nil` for an id that can't be one.
    init?(model id: Asset.ID) {
        guard (1...100).contains(id.utf8.count), id.utf8.first != UInt8(ascii: "."),
            id.utf8.allSatisfy(\.isOfModelName), let name = try? FileName(id)
        else { return nil }
        self = name
    }
}

extension UInt8 {
    /// Small letters, digits, `.`, `-` and `_`.
    var isOfModelName: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: [UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_")].contains(self)
        }
    }
}

extension String {
    /// Whether a catalogue may call something so: one line of text that shows what it is.
    var isPlainLabel: Bool { utf8.count <= 200 && unicodeScalars.allSatisfy { !$0.isUnseenInNames } }
}

/// Whether a device name is only a name.
///
/// To ALSA a name is the beginning of its configuration: the plugins `file` and `tee` take a file to write or a command to
/// run among their arguments, others take a whole definition. A name out of a setting or a message must not do that.
enum PlainDeviceName {
    /// The definitions whose arguments say which card or source, and nothing else.
    private static let definitions = Set(
        ["default", "sysdefault", "hw", "plughw", "front", "dsnoop", "pulse", "pipewire"].map { Array($0.utf8) })

    /// Whether a name is one word, or a known definition with plain arguments: `hw:1,0`, `sysdefault:CARD=PCH`.
    static func isPlain(_ name: String) -> Bool {
        let bytes = Array(name.utf8)
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { return isWord(bytes[...]) }
        let arguments = bytes[(colon + 1)...]
        return definitions.contains(Array(bytes[..<colon])) && isWord(arguments, also: ",=")
    }

    private static func isWord(_ bytes: ArraySlice<UInt8>, also others: String = "") -> Bool {
        !bytes.isEmpty
            && bytes.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
                    true
                default: others.utf8.contains(byte)
                }
            }
    }
}

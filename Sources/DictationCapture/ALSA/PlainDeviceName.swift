/// Decides whether a device name can only choose a device.
///
/// ALSA reads a name as the beginning of its configuration. The arguments of the plugins `file` and `tee` can name a
/// file to write or a command to run, and other plugins take a whole definition. A name from a setting or a message
/// must not do that.
enum PlainDeviceName {
    /// The definitions whose arguments only choose a card or source.
    private static let definitions = Set(
        ["default", "sysdefault", "hw", "plughw", "front", "dsnoop", "pulse", "pipewire"].map { Array($0.utf8) })

    /// Returns whether a name is one word, or a known definition with plain arguments such as `hw:1,0` or
    /// `sysdefault:CARD=PCH`.
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

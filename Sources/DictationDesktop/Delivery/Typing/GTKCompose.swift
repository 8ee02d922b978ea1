/// What GTK 3 can't be typed.
///
/// GTK joins keys such as ´ and e to é, and keeps 16 bits of each key's symbol for that. The symbol of ＠ has 25 bits, and
/// the last 16 are those of the Compose key, so GTK waits for what follows, and drops both. The same happens to other
/// characters whose last 16 bits are those of a dead key.
enum GTKCompose {
    /// Returns the first character that would be lost; `nil` if all arrive.
    static func lost(in text: String) -> Unicode.Scalar? { text.unicodeScalars.first(where: loses) }

    static func loses(_ scalar: Unicode.Scalar) -> Bool {
        switch UInt16(truncatingIfNeeded: scalar.value) {
        case 0x07AE, 0xFE50...0xFE8C, 0xFF20: true
        default: false
        }
    }
}

import DictationCore

/// The keys of an X server, with a key for each character that a piece of text needs.
///
/// xdotool gives the same spare key to one missing character after another. A program that reads its keys late then
/// finds the symbol of a later character. Here all characters of a piece have their keys until the program has read it.
struct X11Keyboard {
    private let connection: X11Connection
    /// The symbols with a key, with or without Shift.
    private let known: Set<UInt32>
    /// The codes of keys without a symbol.
    private let spare: [UInt8]
    private var used = 0

    init(_ connection: X11Connection) throws(DictationError) {
        self.connection = connection
        let keys = try connection.keySymbols()
        known = Set(keys.flatMap { $0.prefix(2) })
        spare = zip(connection.keycodes, keys).compactMap { code, symbols in
            symbols.allSatisfy { $0 == 0 } ? code : nil
        }
        guard !spare.isEmpty else {
            throw DictationError(
                .unsupportedOption, "The keyboard of the X server has no spare key.",
                recovery: "Choose the clipboard as the destination.")
        }
    }

    /// How many characters can have a key at the same time.
    var spareCount: Int { spare.count }

    func has(_ scalar: Unicode.Scalar) -> Bool { known.contains(Self.symbol(scalar)) }

    /// Gives each character of a piece a key.
    mutating func prepare(_ piece: String) throws(DictationError) {
        let missing = Set(piece.unicodeScalars.filter { !has($0) }).prefix(spare.count)
        for (code, scalar) in zip(spare, missing) { try connection.setSymbol(Self.symbol(scalar), of: code) }
        used = max(used, missing.count)
    }

    /// Takes the keys back.
    func restore() throws(DictationError) {
        for code in spare.prefix(used) { try connection.setSymbol(0, of: code) }
        // A server may lose what a connection said last before it closed, so this waits for an answer.
        _ = try connection.focus()
    }

    private static func symbol(_ scalar: Unicode.Scalar) -> UInt32 {
        switch scalar.value {
        case 0x20...0x7E, 0xA0...0xFF: scalar.value
        default: 0x100_0000 | scalar.value
        }
    }
}

public import DictationCore

/// A key with modifiers, such as `F8` or `Ctrl+Alt+d`.
public struct KeyboardKey: Sendable, Hashable {
    /// The number of its symbol, as X11 counts them.
    let symbol: UInt32
    /// The modifiers that are held with it.
    let modifiers: UInt32

    private static let modifierNames: [(name: String, bit: UInt32)] = [
        ("shift", 1 << 0), ("ctrl", 1 << 2), ("alt", 1 << 3), ("super", 1 << 6),
    ]
    private static let symbolNames: [String: UInt32] = [
        "space": 0x20, "pause": 0xFF13, "scroll_lock": 0xFF14, "insert": 0xFF63, "menu": 0xFF67, "control_r": 0xFFE4,
        "alt_r": 0xFFEA, "super_r": 0xFFEC,
    ]
    static let escape = KeyboardKey(symbol: 0xFF1B, modifiers: 0)

    private init(symbol: UInt32, modifiers: UInt32) { (self.symbol, self.modifiers) = (symbol, modifiers) }

    /// Creates a key from its name: a letter or a digit, `F1` to `F24`, `space`, `Insert`, `Menu`, `Pause`, `Scroll_Lock`,
    /// `Control_R`, `Alt_R` or `Super_R`, after any of `Shift+`, `Ctrl+`, `Alt+` and `Super+`.
    ///
    /// - Throws: `invalidInput` for another name.
    public init(_ name: String) throws(DictationError) {
        var parts = name.lowercased().split(separator: "+", omittingEmptySubsequences: false).map(String.init)
        let last = parts.popLast() ?? ""
        var modifiers: UInt32 = 0
        for part in parts {
            guard let bit = Self.modifierNames.first(where: { $0.name == part })?.bit else { throw .unknownKey(name) }
            modifiers |= bit
        }
        guard let symbol = Self.symbol(last) else { throw .unknownKey(name) }
        self.init(symbol: symbol, modifiers: modifiers)
    }

    private static func symbol(_ name: String) -> UInt32? {
        if let symbol = symbolNames[name] { return symbol }
        if name.hasPrefix("f"), let number = UInt32(name.dropFirst()), (1...24).contains(number) {
            return 0xFFBD + number
        }
        guard let scalar = name.unicodeScalars.first, name.unicodeScalars.count == 1, scalar.isASCII,
            scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
        else { return nil }
        return scalar.value
    }

    /// The number of the symbol, in the form in which programs of a desktop take it for a name.
    var symbolName: String { "0x" + String(symbol, radix: 16) }
    /// The modifiers, such as `ctrl`.
    var modifierNames: [String] { Self.modifierNames.filter { modifiers & $0.bit != 0 }.map { $0.name } }

    /// Whether an event is this key with its modifiers.
    func matches(symbol: UInt32, state: UInt32) -> Bool {
        let relevant = Self.modifierNames.reduce(0) { $0 | $1.bit }
        return isOf(symbol) && state & relevant == modifiers
    }

    /// Whether an event is this key with any modifiers, as for a release.
    func isOf(_ symbol: UInt32) -> Bool {
        // A letter that is held with Shift is a capital.
        let small = (0x41...0x5A).contains(symbol) ? symbol + 0x20 : symbol
        return small == self.symbol
    }
}

extension DictationError {
    fileprivate static func unknownKey(_ name: String) -> DictationError {
        DictationError(
            .invalidInput, "There is no key “\(name.visible)”.", recovery: "Use a name such as F8 or Ctrl+Alt+d.")
    }
}

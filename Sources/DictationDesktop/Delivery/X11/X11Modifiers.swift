/// The modifiers of an X server.
struct X11Modifiers: OptionSet {
    var rawValue: UInt16
    static let capsLock = X11Modifiers(rawValue: 2)
    /// What turns a letter into a command or into another letter. Num Lock and the like stay on, and do neither.
    static let held: [(X11Modifiers, String)] = [
        (X11Modifiers(rawValue: 1), "Shift"), (X11Modifiers(rawValue: 4), "Ctrl"),
        (X11Modifiers(rawValue: 8), "Alt"), (X11Modifiers(rawValue: 64), "Super"),
        (X11Modifiers(rawValue: 128), "AltGr"),
    ]
    /// The name of a modifier that is held; `nil` if none is.
    var nameOfHeld: String? { Self.held.first { contains($0.0) }?.1 }
}

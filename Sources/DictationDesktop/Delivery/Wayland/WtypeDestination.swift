public import DictationCore
public import DictationService

/// Types into the window that has the focus on a Wayland desktop with virtual keyboards, such as sway or Hyprland, with
/// the program `wtype`.
///
/// The keyboard that it types on is its own, so keys that the user holds do not change the text. On sway, it checks the
/// focus before and after each piece of text. Other desktops do not tell the focus; the text then goes to the window that
/// has it when the text is typed. A text that would take half a minute to type is left to the next destination.
public struct WtypeDestination: TextDestination {
    /// What line breaks become.
    public var lineBreaks: TypedLineBreaks
    /// Characters for which wtype chooses an old symbol that GTK takes for none or for another. A key named by the
    /// character's number arrives.
    static let unnamed = Set(
        "\u{385}\u{11F0}‥‰∼≃⎛⎝⎞⎠⎡⎣⎤⎦⎨⎬⎷⎺⎻⎼⎽␣─┌▮▯⟨⟩\u{3181}".unicodeScalars)
    private let program: DesktopProgram
    private let work = BlockingWork("dictation-wtype")

    /// Creates a destination.
    public init(lineBreaks: TypedLineBreaks = .space) {
        self.init(lineBreaks: lineBreaks, environment: DesktopEnvironment.own)
    }

    init(lineBreaks: TypedLineBreaks = .space, environment: [String: String]) {
        self.lineBreaks = lineBreaks
        program = DesktopProgram("wtype", package: "wtype", environment)
    }

    /// The name `wtype`.
    public var name: String { "wtype" }
    /// It types into whatever has the focus.
    public var followsFocus: Bool { true }

    /// Returns why it can't type here. See `TextDestination.problem()`.
    public func problem() async -> DictationError? {
        do throws(DictationError) {
            try await work.run { () throws(DictationError) in
                // Without a key to press, this only asks the desktop for a virtual keyboard.
                try WtypeHand(lineBreaks, program).check()
            }
        } catch { return error }
        return nil
    }

    /// Returns the window that has the focus. See `TextDestination.focusedField()`.
    public func focusedField() async -> FocusedField? {
        try? await work.run { () throws(DictationError) in try WtypeHand(lineBreaks, program).focus().field }
    }

    /// Types a text. See `TextDestination.deliver(_:into:)`.
    public func deliver(_ text: DictatedText, into field: FocusedField?) async -> TextDelivery.Outcome {
        if let lost = GTKCompose.lost(in: text.text) {
            return .unavailable("GTK loses the typed character “\(lost)”.")
        }
        return await type(TypedText(text.text, lineBreaks: lineBreaks, apart: Self.unnamed).pieces, into: field)
    }
}

extension WtypeDestination: TypingDestination {
    func type(_ pieces: [TypedText.Piece], into field: FocusedField?) async -> TextDelivery.Outcome {
        do throws(DictationError) {
            return try await work.run { () throws(DictationError) in
                var hand = try WtypeHand(lineBreaks, program)
                return hand.deliver(pieces, into: field)
            }
        } catch { return .unavailable(error.message) }
    }
}

/// Types with wtype, and asks sway for the focus.
private struct WtypeHand: TypingHand {
    /// The time, in milliseconds, in which a program notices the new keyboard. The first keys are lost without it.
    private static let settlingTime = 300
    let pace = TypingPace(piece: .milliseconds(450), character: .milliseconds(6))
    private let lineBreaks: TypedLineBreaks
    private let program: DesktopProgram
    private let sway: SwayFocus?
    /// Whether the first piece is typed already.
    private var hasBegun = false

    init(_ lineBreaks: TypedLineBreaks, _ program: DesktopProgram) throws(DictationError) {
        guard program.environment["WAYLAND_DISPLAY"] != nil else {
            throw DictationError(
                .unsupportedOption, "There is no Wayland display: WAYLAND_DISPLAY is not set.",
                recovery: "Start the service from within the desktop, or set WAYLAND_DISPLAY for it.")
        }
        _ = try program.path
        self.lineBreaks = lineBreaks
        self.program = program
        sway = SwayFocus(program.environment)
    }

    func check() throws(DictationError) {
        do throws(DictationError) { try program.runBlocking(["-s", "1"]) } catch {
            throw DictationError(
                .unsupportedOption, error.message,
                recovery: "On a desktop without virtual keyboards, use the keyboard or the clipboard.")
        }
    }

    func focus() throws(DictationError) -> TypingFocus { try sway?.focus() ?? .unknown }

    /// The virtual keyboard has modifiers of its own.
    func waitForModifiers() {}

    mutating func prepare(_ piece: TypedText.Piece) throws(DictationError) {
        if !hasBegun { try check() }
    }

    mutating func type(_ piece: TypedText.Piece) throws(DictationError) {
        hasBegun = true
        switch piece {
        case .characters(let text):
            if let scalar = text.unicodeScalars.first, WtypeDestination.unnamed.contains(scalar) {
                try press("U" + String(scalar.value, radix: 16), with: [])
            } else {
                // Everybody on this machine can read the arguments of a program.
                try program.runBlocking(settling + ["-"], input: Array(text.utf8))
            }
        case .lineBreak: try press("Return", with: lineBreaks == .enter ? [] : ["shift"])
        case .key(let key): try press(key.symbolName, with: key.modifierNames)
        }
    }

    private var settling: [String] { ["-s", "\(Self.settlingTime)"] }

    /// Presses a key that does something. GTK looks for shortcuts on all keys of a keyboard but the last, so a key follows
    /// that is never pressed.
    private func press(_ key: String, with modifiers: [String]) throws(DictationError) {
        let held = modifiers.map { $0 == "super" ? "logo" : $0 }
        try program.runBlocking(
            settling + held.flatMap { ["-M", $0] } + ["-k", key] + held.flatMap { ["-m", $0] } + ["-p", "VoidSymbol"])
    }
}

public import DictationCore
public import DictationService
import DictationSystem
import DictationText

/// Types into the window that has the focus on an X11 desktop, with the program `xdotool`.
///
/// It waits until no modifier is held and no lock screen or menu has the keyboard, checks the focus before and after each
/// piece of text, and goes on only when the program has read what was typed. Fields in a window can't be told apart. A text
/// that would take half a minute to type is left to the next destination.
public struct XdotoolDestination: TextDestination {
    /// What line breaks become.
    public var lineBreaks: TypedLineBreaks
    /// How long to wait until a modifier is released, and until no other program has the keyboard.
    public var modifierTimeout: Duration
    /// How long to wait for a program that reads slowly.
    public var programTimeout: Duration
    private let program: DesktopProgram
    private let work = BlockingWork("dictation-xdotool")

    /// Creates a destination.
    public init(
        lineBreaks: TypedLineBreaks = .space, modifierTimeout: Duration = .seconds(5),
        programTimeout: Duration = .seconds(10)
    ) {
        self.init(
            lineBreaks: lineBreaks, modifierTimeout: modifierTimeout, programTimeout: programTimeout,
            environment: DesktopEnvironment.own)
    }

    init(
        lineBreaks: TypedLineBreaks = .space, modifierTimeout: Duration = .seconds(5),
        programTimeout: Duration = .seconds(10), environment: [String: String]
    ) {
        self.lineBreaks = lineBreaks
        self.modifierTimeout = modifierTimeout
        self.programTimeout = programTimeout
        program = DesktopProgram("xdotool", package: "xdotool", environment)
    }

    /// The name `xdotool`.
    public var name: String { "xdotool" }
    /// It types into whatever has the focus.
    public var followsFocus: Bool { true }

    /// Returns why it can't type here. See `TextDestination.problem()`.
    public func problem() async -> DictationError? {
        await error { () throws(DictationError) in _ = try XdotoolHand(self, program) }
    }

    /// Returns the window that has the focus. See `TextDestination.focusedField()`.
    public func focusedField() async -> FocusedField? {
        try? await work.run { () throws(DictationError) in try XdotoolHand.focus(XdotoolHand.connect(program)).field }
    }

    /// Types a text. See `TextDestination.deliver(_:into:)`.
    public func deliver(_ text: DictatedText, into field: FocusedField?) async -> TextDelivery.Outcome {
        if let lost = GTKCompose.lost(in: text.text) {
            return .unavailable("GTK loses the typed character “\(lost)”.")
        }
        return await outcome { () throws(DictationError) in
            var hand = try XdotoolHand(self, program)
            defer { hand.end() }
            let pieces = TypedText(
                text.text, lineBreaks: lineBreaks, keys: hand.keyboard.spareCount, isOnKeyboard: hand.keyboard.has
            ).pieces
            return hand.deliver(pieces, into: field)
        }
    }

    private func outcome(
        _ body: @escaping @Sendable () throws(DictationError) -> TextDelivery.Outcome
    ) async -> TextDelivery.Outcome {
        do throws(DictationError) { return try await work.run(body) } catch { return .unavailable(error.message) }
    }

    private func error(_ body: @escaping @Sendable () throws(DictationError) -> Void) async -> DictationError? {
        do throws(DictationError) { try await work.run(body) } catch { return error }
        return nil
    }
}

extension XdotoolDestination: TypingDestination {
    func type(_ pieces: [TypedText.Piece], into field: FocusedField?) async -> TextDelivery.Outcome {
        await outcome { () throws(DictationError) in
            var hand = try XdotoolHand(self, program)
            defer { hand.end() }
            return hand.deliver(pieces, into: field)
        }
    }
}

/// Types with xdotool, and watches the window with a connection of its own.
private struct XdotoolHand: TypingHand {
    /// The time between two keys, in milliseconds, where the program does not say when it has read them.
    private static let blindDelay = 12
    /// The time between two questions whether a key is still held.
    private static let turn: Int32 = 20

    private let destination: XdotoolDestination
    private let program: DesktopProgram
    private let server: X11Connection
    private(set) var keyboard: X11Keyboard
    /// The window that says when it has read its keys; `nil` if none does.
    private let answering: UInt32?
    /// Whether the first piece is typed already.
    private var hasBegun = false

    init(_ destination: XdotoolDestination, _ program: DesktopProgram) throws(DictationError) {
        self.destination = destination
        self.program = program
        server = try Self.connect(program)
        keyboard = try X11Keyboard(server)
        answering = if let window = try server.focus() { try server.windowWithPing(around: window) } else { nil }
    }

    static func connect(_ program: DesktopProgram) throws(DictationError) -> X11Connection {
        guard program.environment["WAYLAND_DISPLAY"] == nil else {
            throw DictationError(
                .unsupportedOption, "This is a Wayland desktop, where xdotool reaches few programs.",
                recovery: "Use wtype or the keyboard.")
        }
        _ = try program.path
        return try X11Connection(program.environment)
    }

    func focus() throws(DictationError) -> TypingFocus { try Self.focus(server) }

    static func focus(_ server: X11Connection) throws(DictationError) -> TypingFocus {
        try server.focus().map { .field(FocusedField(id: "window \($0)")) } ?? .nothing
    }

    func waitForModifiers() throws(DictationError) {
        let end = TimeLimit(destination.modifierTimeout)
        while let obstacle = try obstacle() {
            guard end.milliseconds > 0, !Task.isCancelled else { throw obstacle }
            poll(nil, 0, Self.turn)
        }
    }

    /// Why no key would get to the window now; `nil` if it would.
    private func obstacle() throws(DictationError) -> DictationError? {
        if let name = try server.modifiers().nameOfHeld { return .heldModifier(name) }
        // Some windows notice that somebody asked, so nobody asks twice.
        guard !hasBegun, try server.isKeyboardTaken() else { return nil }
        return .keyboardTaken
    }

    mutating func prepare(_ piece: TypedText.Piece) throws(DictationError) {
        // A program that hangs gets nothing.
        try waitForProgram()
        if case .characters(let text) = piece { try keyboard.prepare(text) }
    }

    mutating func type(_ piece: TypedText.Piece) throws(DictationError) {
        hasBegun = true
        switch piece {
        case .characters(let text):
            // Nobody holds Caps Lock down, so xdotool turns it off meanwhile.
            let isCaps = try server.modifiers().contains(.capsLock)
            try run(
                ["type", "--delay", "\(delay)"] + (isCaps ? ["--clearmodifiers"] : []) + ["--file", "-"],
                // Everybody on this machine can read the arguments of a program.
                input: Array(text.utf8))
        case .lineBreak:
            try run(["key", destination.lineBreaks == .enter ? "Return" : "shift+Return"])
        case .key(let key):
            try run(["key", (key.modifierNames + [key.symbolName]).joined(separator: "+")])
        }
        try waitForProgram()
    }

    /// Runs xdotool. If it was ended in the middle of a key, that key would repeat without end.
    private func run(_ arguments: [String], input: [UInt8] = []) throws(DictationError) {
        do throws(DictationError) { _ = try program.runBlocking(arguments, input: input) } catch {
            if let keys = try? server.pressedKeys(), !keys.isEmpty {
                _ = try? program.runBlocking(["keyup"] + keys.map(String.init))
            }
            throw error
        }
    }

    /// Takes back the keys that characters got.
    func end() { try? keyboard.restore() }

    var pace: TypingPace {
        TypingPace(piece: .milliseconds(50), character: .milliseconds(answering == nil ? Self.blindDelay + 1 : 6))
    }

    private var delay: Int { answering == nil ? Self.blindDelay : 1 }

    /// Returns when the program has read all keys; throws if it does not in time.
    private func waitForProgram() throws(DictationError) {
        guard let answering else { return }
        guard try server.ping(answering, within: destination.programTimeout) else {
            throw DictationError(
                .timedOut, "The program does not read its keys.",
                recovery: "Wait until it answers, then insert the last text.")
        }
    }
}

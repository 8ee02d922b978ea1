public import DictationCore
public import DictationService
import Synchronization

/// Pastes into the window that has the focus: copies the text, presses a key, and then restores the clipboard.
///
/// Use it for programs that take typed text badly, and for long texts. It needs `xdotool` and `xclip` on an X11 desktop, and
/// `wtype` and `wl-clipboard` on a Wayland desktop with virtual keyboards. What another program copies meanwhile stays on
/// the clipboard. If the clipboard can't be restored later, because its program does not answer or it holds more than 64 MiB,
/// nothing is pasted, and the next destination gets the text.
public struct PasteDestination: TextDestination {
    /// The key that pastes, such as `ctrl+v`, or `ctrl+shift+v` in a terminal.
    public let key: KeyboardKey
    /// What line breaks become.
    public let lineBreaks: TypedLineBreaks
    /// How long the text stays on the clipboard, for a program that reads it late.
    public let restoreDelay: Duration
    private let environment: [String: String]
    private let kept = KeptClipboard()
    private let runtime = DictationRuntime.current

    /// Creates a destination.
    public init(key: KeyboardKey, lineBreaks: TypedLineBreaks = .space, restoreDelay: Duration = .seconds(3)) {
        self.init(key: key, lineBreaks: lineBreaks, restoreDelay: restoreDelay, environment: DesktopEnvironment.own)
    }

    init(
        key: KeyboardKey, lineBreaks: TypedLineBreaks = .space, restoreDelay: Duration = .seconds(3),
        environment: [String: String]
    ) {
        self.key = key
        self.lineBreaks = lineBreaks
        self.restoreDelay = restoreDelay
        self.environment = environment
    }

    private var keyboard: any TypingDestination {
        environment["WAYLAND_DISPLAY"] == nil
            ? XdotoolDestination(environment: environment) : WtypeDestination(environment: environment)
    }

    /// The name `paste`.
    public var name: String { "paste" }
    /// It pastes into whatever has the focus.
    public var followsFocus: Bool { true }

    /// Returns why it can't paste here. See `TextDestination.problem()`.
    public func problem() async -> DictationError? {
        if let problem = await keyboard.problem() { return problem }
        do throws(DictationError) { _ = try Clipboard(environment) } catch { return error }
        return nil
    }

    /// Returns the window that has the focus. See `TextDestination.focusedField()`.
    public func focusedField() async -> FocusedField? { await keyboard.focusedField() }

    /// Pastes a text. See `TextDestination.deliver(_:into:)`.
    public func deliver(_ text: DictatedText, into field: FocusedField?) async -> TextDelivery.Outcome {
        if let problem = await problem() { return .unavailable(problem.message) }
        let words = TypedText.plain(text.text, lineBreaks)
        let clipboard: Clipboard
        let copy: UInt64
        do throws(DictationError) {
            clipboard = try Clipboard(environment)
            copy = kept.keep(try await clipboard.contents(), under: words)
            try await clipboard.copy(words, isSensitive: true)
        } catch { return .unavailable(error.message) }
        let outcome = await keyboard.type([.key(key)], into: field)
        guard outcome == .delivered else {
            await kept.restore(copy, to: clipboard)
            return outcome
        }
        let restoring = runtime.task { [kept, runtime, restoreDelay] in
            try? await runtime.sleep(restoreDelay)
            await kept.restore(copy, to: clipboard)
        }
        kept.restoring.withLock { $0 = restoring }
        return .delivered
    }

    /// Waits until the clipboard is restored after the last text. See `TextDestination.settle()`.
    public func settle() async { await kept.restoring.withLock { $0 }?.value }
}

/// What the clipboard held before a text was put there.
private final class KeptClipboard: Sendable {
    private struct Kept {
        var number: UInt64
        var text: String
        var contents: Clipboard.Contents?
    }

    private let kept = Mutex<Kept?>(nil)
    let restoring = Mutex<Task<Void, Never>?>(nil)
    private let count = Atomic<UInt64>(0)

    /// Keeps contents while a text takes their place. If they are the text before, what that one replaced is kept.
    ///
    /// - Returns: The number of the text.
    func keep(_ contents: Clipboard.Contents?, under text: String) -> UInt64 {
        let number = count.wrappingAdd(1, ordering: .relaxed).newValue
        kept.withLock { kept in
            let isOurs = kept.map { contents?.bytes == Array($0.text.utf8) } ?? false
            kept = Kept(number: number, text: text, contents: isOurs ? kept?.contents : contents)
        }
        return number
    }

    /// Restores the contents, unless a newer text has come or another program has copied something.
    func restore(_ number: UInt64, to clipboard: Clipboard) async {
        guard let kept = kept.withLock({ $0 }), kept.number == number else { return }
        if await clipboard.has(kept.text) { try? await clipboard.restore(kept.contents) }
        self.kept.withLock { if $0?.number == number { $0 = nil } }
    }
}

public import DictationCore
public import DictationService

/// Puts the text on the clipboard, from where the user pastes it.
///
/// It uses `wl-copy` on Wayland and `xclip` on X11.
public struct ClipboardDestination: TextDestination {
    private let environment: [String: String]

    /// Creates a destination.
    public init() { self.init(environment: DesktopEnvironment.own) }

    init(environment: [String: String]) { self.environment = environment }

    /// The name `clipboard`.
    public var name: String { "clipboard" }

    /// Returns why there is no clipboard. See `TextDestination.problem()`.
    public func problem() async -> DictationError? {
        do throws(DictationError) { _ = try Clipboard(environment) } catch { return error }
        return nil
    }

    /// Copies the text. See `TextDestination.deliver(_:into:)`.
    public func deliver(_ text: DictatedText, into field: FocusedField?) async -> TextDelivery.Outcome {
        do throws(DictationError) {
            try await Clipboard(environment).copy(text.forDestination, isSensitive: true)
        } catch {
            return .unavailable(error.message)
        }
        return .delivered
    }
}

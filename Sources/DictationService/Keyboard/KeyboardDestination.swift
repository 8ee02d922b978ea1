#if SystemBus
public import DictationCore
import FoundationEssentials

/// The field that has the focus, through an ``IBusKeyboard`` that runs in another process of the same user.
///
/// It is the safest way into a field: it knows passwords, keeps a take's text from every other field, and says whether the
/// text has arrived.
public struct KeyboardDestination: TextDestination {
    private let address: String?
    private let work = BlockingWork("dictation-keyboard-client")

    /// Creates the destination. It connects with each call.
    ///
    /// - Parameter address: The address of the bus that the keyboard is on; `nil` is the bus of the user's session.
    public init(at address: String? = nil) { self.address = address }

    /// `keyboard`.
    public var name: String { "keyboard" }
    /// `true`: the text goes to the field that has the focus.
    public var followsFocus: Bool { true }

    /// Returns why there is no keyboard; `nil` if one runs.
    public func problem() async -> DictationError? {
        do throws(DictationError) { _ = try await ask("Focus", []) { $0.string() } } catch { return error }
        return nil
    }

    /// Returns the field that has the focus; `nil` if none has it, or if no keyboard runs.
    public func focusedField() async -> FocusedField? {
        let id = try? await ask("Focus", []) { $0.string() }
        return id.flatMap { $0.isEmpty ? nil : FocusedField(id: $0) }
    }

    /// Shows text that may still change at the cursor.
    public func preview(_ text: String, in field: FocusedField?) async {
        _ = try? await ask("Preview", [.string(text), .string(field?.id ?? "")]) { _ in "" }
    }

    /// Writes a text into the field.
    public func deliver(_ text: DictatedText, into field: FocusedField?) async -> DeliveryOutcome {
        let values: [BusValue] = [
            .number64(UInt64(clamping: text.take.number)), .string(text.text), .string(field?.id ?? ""),
        ]
        do throws(DictationError) {
            return try await ask("Deliver", values) { reply in
                reply.string().flatMap { DeliveryOutcome(name: $0, reason: reply.string() ?? "") }
            }
        } catch {
            // It may still write the text.
            return error.code == .timedOut ? .incomplete(error.message) : .unavailable(error.message)
        }
    }

    private func ask<Answer: Sendable>(
        _ member: String, _ values: [BusValue], _ read: @escaping @Sendable (BusMessage) -> Answer?
    ) async throws(DictationError) -> Answer {
        let address = address
        return try await work.run { () throws(DictationError) in
            let reply: BusMessage
            do throws(DictationError) {
                let bus = try BusConnection(address.map { .address($0) } ?? .session)
                reply = try bus.call(KeyboardDoor.name, KeyboardDoor.path, KeyboardDoor.name, member, values)
            } catch {
                guard error.code != .timedOut else { throw error }
                throw DictationError(
                    .notRunning, "The dictation keyboard is not running.",
                    recovery: "Choose it in the desktop's settings, or run “dictate keyboard --select”.",
                    underlying: error.underlying)
            }
            guard let answer = read(reply) else { throw .unknownAnswer }
            return answer
        }
    }
}
#else
public import DictationCore

/// The field that has the focus, through an ``IBusKeyboard``. This build leaves it out.
@available(*, unavailable, message: "Enable the “SystemBus” trait of swift-dictation.")
public struct KeyboardDestination: TextDestination {
    /// Unavailable in this build.
    public init(at address: String? = nil) {}
    /// Unavailable in this build.
    public var name: String { "keyboard" }
    /// Unavailable in this build.
    public func problem() async -> DictationError? { nil }
    /// Unavailable in this build.
    public func deliver(_ text: DictatedText, into field: FocusedField?) async -> DeliveryOutcome { .unavailable("") }
}
#endif

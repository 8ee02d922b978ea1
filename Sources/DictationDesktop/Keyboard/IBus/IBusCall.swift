#if SystemBus
/// What ibus-daemon tells an engine.
enum IBusCall: Hashable {
    /// Make an engine.
    case create
    /// Asks whether it should name the fields, and tell their text.
    case wish
    case allProperties
    case content(purpose: UInt32, hints: UInt32)
    case key(symbol: UInt32, state: UInt32)
    case focusIn(engine: String, context: String, client: String)
    case focusInUnnamed(engine: String)
    case focusOut(engine: String, context: String?)
    case capabilities(UInt32)
    /// The text of the field, with the places of the cursor and of the other end of the selection.
    case surroundingText(String, cursor: UInt32, anchor: UInt32)
    case reset
    /// Something that changes nothing.
    case other

    private static let factory = "org.freedesktop.IBus.Factory"
    static let engine = "org.freedesktop.IBus.Engine"
    static let properties = "org.freedesktop.DBus.Properties"

    /// Reads a call; `nil` for an unknown one.
    init?(_ message: BusMessage) {
        switch (message.interface, message.member) {
        case (Self.factory, "CreateEngine"): self = .create
        case (Self.properties, "Get"): self = .wish
        case (Self.properties, "GetAll"): self = .allProperties
        case (Self.properties, "Set"): self = Self.content(of: message) ?? .other
        case (Self.engine, let member?): self = Self.event(message, member) ?? .other
        case (_, "Destroy"): self = .other
        default: return nil
        }
    }

    private static func content(of message: BusMessage) -> IBusCall? {
        guard message.string() != nil, message.string() == "ContentType" else { return nil }
        let numbers = message.inside("v", "(uu)") {
            message.inside("r", "uu") { [message.number32(), message.number32()].compactMap { $0 } }
        }
        guard let numbers, numbers.count == 2 else { return nil }
        return .content(purpose: numbers[0], hints: numbers[1])
    }

    private static func event(_ message: BusMessage, _ member: String) -> IBusCall? {
        let engine = message.path ?? ""
        switch member {
        case "ProcessKeyEvent":
            guard let symbol = message.number32(), message.number32() != nil, let state = message.number32() else {
                return nil
            }
            return .key(symbol: symbol, state: state)
        case "FocusInId":
            return .focusIn(engine: engine, context: message.string() ?? "", client: message.string() ?? "")
        case "FocusIn": return .focusInUnnamed(engine: engine)
        case "FocusOutId": return .focusOut(engine: engine, context: message.string())
        case "FocusOut", "Disable": return .focusOut(engine: engine, context: nil)
        case "SetCapabilities": return message.number32().map { .capabilities($0) }
        case "SetSurroundingText": return surroundingText(message)
        case "Reset": return .reset
        default: return nil
        }
    }

    private static func surroundingText(_ message: BusMessage) -> IBusCall? {
        let text = message.inside("v", "(sa{sv}sv)") {
            message.inside("r", "sa{sv}sv") { () -> String? in
                message.skip("sa{sv}")
                return message.string()
            }
        }
        guard let text = text.flatMap({ $0 }).flatMap({ $0 }), let cursor = message.number32(),
            let anchor = message.number32()
        else { return nil }
        return .surroundingText(text, cursor: cursor, anchor: anchor)
    }
}
#endif

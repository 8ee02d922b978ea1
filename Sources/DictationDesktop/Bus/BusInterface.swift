import DictationCore
import DictationService
import DictationText

/// The interface of a service on the bus: its names, methods and properties.
enum BusInterface {
    static let name = "org.swift_dictation.Dictation1"
    static let path = "/org/swift_dictation/Dictation1"
    static let properties = "org.freedesktop.DBus.Properties"
    static let introspectable = "org.freedesktop.DBus.Introspectable"

    /// A method that carries out a request of the same name.
    struct Method: Hashable {
        var intent: String
        var takesProfile = false
        /// The name on the bus, which begins with a capital.
        var name: String { intent.prefix(1).uppercased() + intent.dropFirst() }
    }

    /// The methods. Properties show what the socket's `status` and `follow` tell.
    static let methods: [Method] = [
        Method(intent: "start", takesProfile: true), Method(intent: "stop"),
        Method(intent: "toggle", takesProfile: true), Method(intent: "cancel"), Method(intent: "pause"),
        Method(intent: "resume"), Method(intent: "hold", takesProfile: true), Method(intent: "release"),
        Method(intent: "last"), Method(intent: "insertLast"), Method(intent: "reload"),
    ]

    // MARK: Answers

    /// Returns the values that answer a request: the answer's name, its take, its text, and all of it as JSON.
    static func values(_ content: WireReply.Content) -> [BusValue] {
        let answer: (name: String, take: TakeID?, text: String) =
            switch content {
            case .answer(let answer): (answer.name, answer.take, answer.text?.text ?? "")
            case .holding(let take): ("holding", take, "")
            case .failure: ("error", nil, "")
            // Only a client of the socket gets these.
            case .ping, .order: ("", nil, "")
            }
        return [
            .string(answer.name), .number64(number(answer.take)), .string(answer.text),
            .string(JSONWriter.encode(WireReply(id: nil, content: content))),
        ]
    }

    /// Returns the name of an error on the bus.
    static func errorName(_ error: DictationError) -> String {
        let code = error.code.rawValue
        // An engine may have codes of its own.
        let isName = (1...100).contains(code.utf8.count) && code.utf8.allSatisfy { (0x61...0x7A).contains($0 | 0x20) }
        return "\(name).Error.\(isName ? code : "failed")"
    }

    // MARK: Properties

    /// Returns the properties that show a status.
    static func properties(of status: ServiceStatus) -> [BusValue.Entry] {
        func entry(_ name: String, _ value: BusValue) -> BusValue.Entry { BusValue.Entry(name: name, value: value) }
        return [
            entry("State", .string(status.state.rawValue)),
            entry("Take", .number64(number(status.take))),
            entry("Elapsed", .double(status.elapsed.wireSeconds)),
            entry("Level", .double((status.level.value * 10).rounded() / 10)),
            entry("FinalText", .string(status.finalText)),
            entry("StableText", .string(status.stableText)),
            entry("ChangingText", .string(status.changingText)),
            entry("Locale", .string(status.locale.identifier)),
            entry("Engine", .string(status.engine)),
            entry("Model", .string(status.model ?? "")),
            entry("HasAudio", .flag(status.hasAudio)),
            entry("IsEngineReady", .flag(status.isEngineReady)),
            entry("Input", .string(status.input?.rawValue ?? "")),
            entry("Interruption", .string(status.interruption?.rawValue ?? "")),
            entry("Error", .string(status.error?.description ?? "")),
            entry("Loss", .string(status.loss ?? "")),
            entry("SpoolError", .string(status.spoolError?.description ?? "")),
            entry("JournalError", .string(status.journalError?.description ?? "")),
            entry("Delivery", .string(status.delivery.map(JSONWriter.encode) ?? "")),
        ]
    }

    private static func number(_ take: TakeID?) -> UInt64 { UInt64(max(0, take?.number ?? 0)) }

    // MARK: Introspection

    /// Returns the description of the object at a path, or of a folder on the way to it; `nil` for another path.
    static func introspection(of path: String) -> String? {
        if path == Self.path { return document(object) }
        let folder = path == "/" ? path : path + "/"
        guard Self.path.hasPrefix(folder) else { return nil }
        let child = Self.path.dropFirst(folder.count).prefix { $0 != "/" }
        return document("  <node name=\"\(child)\"/>\n")
    }

    private static func document(_ body: String) -> String {
        """
        <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"
         "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">
        <node>
        \(body)</node>

        """
    }

    private static let object: String = {
        func argument(_ name: String, _ type: String, _ direction: String? = nil) -> String {
            "      <arg name=\"\(name)\" type=\"\(type)\"\(direction.map { " direction=\"\($0)\"" } ?? "")/>\n"
        }
        func method(_ name: String, _ ins: [(String, String)], _ outs: [(String, String)]) -> String {
            let arguments = ins.map { argument($0.0, $0.1, "in") } + outs.map { argument($0.0, $0.1, "out") }
            return "    <method name=\"\(name)\">\n\(arguments.joined())    </method>\n"
        }
        let answer = [("answer", "s"), ("take", "t"), ("text", "s"), ("json", "s")]
        let own = methods.map { method($0.name, $0.takesProfile ? [("profile", "s")] : [], answer) }
        let shown = properties(of: ServiceStatus(engine: "")).map {
            "    <property name=\"\($0.name)\" type=\"\($0.value.signature)\" access=\"read\"/>\n"
        }
        let change = [
            argument("interface", "s"), argument("changed_properties", "a{sv}"),
            argument("invalidated_properties", "as"),
        ]
        return """
              <interface name="\(name)">
            \(own.joined())\(shown.joined())  </interface>
              <interface name="\(properties)">
            \(method("Get", [("interface", "s"), ("property", "s")], [("value", "v")]))\
            \(method("GetAll", [("interface", "s")], [("properties", "a{sv}")]))\
            \(method("Set", [("interface", "s"), ("property", "s"), ("value", "v")], []))\
                <signal name="PropertiesChanged">
            \(change.joined())    </signal>
              </interface>
              <interface name="\(introspectable)">
            \(method("Introspect", [], [("xml", "s")]))  </interface>

            """
    }()
}

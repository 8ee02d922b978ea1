import DictationCore
import DictationService

/// What a call on the bus asks a service for: a value, so that it can be tested without a bus.
enum BusCall: Hashable {
    case request(WireRequest.Kind)
    case introspect(String)
    case property(String)
    case properties
    /// Answers with an error that has a name.
    case refuse(String, String)

    /// Reads a call.
    ///
    /// - Parameters:
    ///   - interface: The interface; `nil` if the caller named none.
    ///   - signature: The types of all arguments.
    ///   - strings: The leading arguments that are strings.
    init(path: String, interface: String?, member: String, signature: String, strings: [String]) {
        func isOf(_ name: String) -> Bool { interface == nil || interface == name }
        if member == "Introspect", isOf(BusInterface.introspectable) {
            self =
                signature.isEmpty
                ? BusInterface.introspection(of: path).map { .introspect($0) } ?? Self.noObject(path)
                : Self.badArguments(member, "none")
        } else if path != BusInterface.path {
            self = Self.noObject(path)
        } else if let method = BusInterface.methods.first(where: { $0.name == member }), isOf(BusInterface.name) {
            self = Self.request(method, signature, strings)
        } else if isOf(BusInterface.properties), let call = Self.aboutProperties(member, signature, strings) {
            self = call
        } else {
            self = .refuse("org.freedesktop.DBus.Error.UnknownMethod", "There is no method “\(member.visible)”.")
        }
    }

    private static func request(_ method: BusInterface.Method, _ signature: String, _ strings: [String]) -> BusCall {
        guard signature == (method.takesProfile ? "s" : "") else {
            return badArguments(
                method.name, method.takesProfile ? "the name of a profile, or an empty string" : "none")
        }
        let profile = strings.first.flatMap { $0.isEmpty ? nil : $0 }
        guard (profile?.utf8.count ?? 0) <= Conversation.lineLimit,
            let kind = WireRequest.Kind(intent: method.intent, profile: profile)
        else { return badArguments(method.name, "the name of a profile") }
        return .request(kind)
    }

    private static func aboutProperties(_ member: String, _ signature: String, _ strings: [String]) -> BusCall? {
        let types = ["Get": "ss", "GetAll": "s", "Set": "ssv"]
        guard let expected = types[member] else { return nil }
        guard signature == expected, let interface = strings.first else {
            return badArguments(member, "values of the types \(expected)")
        }
        // The specification lets a caller leave the interface empty.
        guard interface.isEmpty || interface == BusInterface.name else {
            return .refuse(
                "org.freedesktop.DBus.Error.UnknownInterface", "There is no interface “\(interface.visible)”.")
        }
        if member == "Set" {
            return .refuse("org.freedesktop.DBus.Error.PropertyReadOnly", "No property of the service can be set.")
        }
        return member == "GetAll" ? .properties : .property(strings.count > 1 ? strings[1] : "")
    }

    private static func badArguments(_ member: String, _ expected: String) -> BusCall {
        .refuse("org.freedesktop.DBus.Error.InvalidArgs", "\(member) has these arguments: \(expected).")
    }

    private static func noObject(_ path: String) -> BusCall {
        .refuse("org.freedesktop.DBus.Error.UnknownObject", "There is no object at “\(path.visible)”.")
    }
}

import DictationCore
import Testing

@testable import DictationDesktop
@testable import DictationService

@Suite struct BusCallTests {
    private func call(
        _ member: String, _ signature: String = "", _ strings: [String] = [], path: String = BusInterface.path,
        interface: String? = BusInterface.name
    ) -> BusCall {
        BusCall(path: path, interface: interface, member: member, signature: signature, strings: strings)
    }

    private func refusal(_ call: BusCall) -> String? {
        guard case .refuse(let name, let message) = call, !message.isEmpty else { return nil }
        return String(name.dropFirst("org.freedesktop.DBus.Error.".count))
    }

    @Test func eachMethodIsTheRequestOfItsName() {
        let kinds: [(String, WireRequest.Kind)] = [
            ("Stop", .intent(.stop)), ("Cancel", .intent(.cancel)), ("Pause", .intent(.pause)),
            ("Resume", .intent(.resume)), ("Last", .intent(.last)), ("Release", .release),
            ("Reload", .reload), ("InsertLast", .intent(.insertLast)),
        ]
        for (name, kind) in kinds {
            #expect(call(name) == .request(kind))
            #expect(call(name, interface: nil) == .request(kind))
        }
        for profile in [nil, "letters"] {
            #expect(call("Start", "s", [profile ?? ""]) == .request(.intent(.start(profile: profile))))
            #expect(call("Toggle", "s", [profile ?? ""]) == .request(.intent(.toggle(profile: profile))))
            #expect(call("Hold", "s", [profile ?? ""]) == .request(.hold(profile: profile)))
        }
        #expect(BusInterface.methods.count == kinds.count + 3)
    }

    @Test func aCallThatMakesNoSenseIsRefusedWithTheUsualName() {
        #expect(refusal(call("Sing")) == "UnknownMethod")
        #expect(refusal(call("stop")) == "UnknownMethod")
        #expect(refusal(call("")) == "UnknownMethod")
        #expect(refusal(call("Stop", interface: "org.other")) == "UnknownMethod")
        #expect(refusal(call("Stop", path: "/")) == "UnknownObject")
        #expect(refusal(call("Stop", path: BusInterface.path + "/more")) == "UnknownObject")
        #expect(refusal(call("Stop", "s", ["now"])) == "InvalidArgs")
        #expect(refusal(call("Start")) == "InvalidArgs")
        #expect(refusal(call("Start", "as")) == "InvalidArgs")
        #expect(refusal(call("Start", "s", [String(repeating: "p", count: 65_537)])) == "InvalidArgs")
        let properties = BusInterface.properties
        #expect(refusal(call("Set", "ssv", [BusInterface.name, "State"], interface: properties)) == "PropertyReadOnly")
        #expect(refusal(call("GetAll", "s", ["org.other"], interface: properties)) == "UnknownInterface")
        #expect(refusal(call("Get", "s", [BusInterface.name], interface: properties)) == "InvalidArgs")
        #expect(call("GetAll", "s", [""], interface: properties) == .properties)
        #expect(call("Get", "ss", ["", "State"], interface: properties) == .property("State"))
    }

    @Test func theWayToTheObjectIsDescribed() {
        func xml(_ path: String) -> String? {
            guard case .introspect(let xml) = call("Introspect", path: path, interface: nil) else { return nil }
            return xml
        }
        #expect(xml("/")?.contains("<node name=\"org\"/>") == true)
        #expect(xml("/org")?.contains("<node name=\"swift_dictation\"/>") == true)
        #expect(xml("/org/swift_dictation")?.contains("<node name=\"Dictation1\"/>") == true)
        #expect(xml(BusInterface.path)?.contains("<method name=\"Toggle\">") == true)
        #expect(xml("/org/swift") == nil && xml("/com") == nil)
    }

    @Test func theNameOfAnErrorIsValid() {
        #expect(BusInterface.errorName(DictationError(.deviceLost, "Gone.")).hasSuffix(".Error.deviceLost"))
        for code in ["", "a b", "ü", "a.b", String(repeating: "a", count: 300)] {
            let error = DictationError(DictationError.Code(rawValue: code), "Gone.")
            #expect(BusInterface.errorName(error).hasSuffix(".Error.failed"))
        }
    }
}

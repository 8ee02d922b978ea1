#if SystemBus
import DictationCore
import DictationEngines
import Foundation
import TestSupport
import Testing

@testable import DictationDesktop
@testable import DictationService

/// A service on a real bus, and on a socket.
@Suite struct BusListenerTests {
    private func answer(_ content: WireReply.Content) -> String {
        switch content {
        case .answer(let answer): answer.name
        case .holding: "holding"
        case .failure(let error): error.code.rawValue
        case .ping: "ping"
        case .order: "order"
        }
    }

    private func text(_ content: WireReply.Content) -> String? {
        guard case .answer(.text(let text)) = content else { return nil }
        return text.text
    }

    @Test func aCallerOnTheBusDoesWhatAClientOfTheSocketDoes() async throws {
        let (bus, open) = (try TestBus(), try OpenListener())
        let listener = try BusListener.open(open.service, at: bus.address)
        let caller = try BusCaller(bus)
        #expect(answer(try await caller.ask("Stop")) == "nothing")
        #expect(answer(try await caller.ask("Last")) == "nothing")
        #expect(try await caller.ask("Start", profile: "") == .answer(.recording(TakeID(number: 1))))
        #expect(try await open.client().status().state == .recording)
        #expect(await open.hasWords())
        #expect(answer(try await caller.ask("Pause")) == "paused")
        #expect(try await caller.property("State") == "paused")
        #expect(answer(try await caller.ask("Resume")) == "recording")
        let first = try await caller.ask("Toggle", profile: "")
        #expect(text(first)?.hasPrefix("one two") == true)
        #expect(try await caller.ask("Last") == first)
        #expect(try await .answer(open.client().perform(.last)) == first)
        #expect(answer(try await caller.ask("Toggle", profile: "")) == "recording")
        #expect(answer(try await caller.ask("Cancel")) == "cancelled")
        #expect(answer(try await caller.ask("Release")) == "nothing")
        await listener.close()
        #expect(await error { _ = try await caller.ask("Stop") } != nil)
        await open.listener.close()
    }

    @Test func aTextGoesToOneOfTwoListeners() async throws {
        let (bus, open) = (
            try TestBus(),
            try OpenListener(script: [.final("said", at: .milliseconds(40)), .slowFinish(.milliseconds(500))])
        )
        let listener = try BusListener.open(open.service, at: bus.address)
        try await open.client().start()
        #expect(await open.waits { $0.finalText == "said" })
        let stopping = Task { try await open.client().stop()?.text }
        #expect(await open.waits { $0.state == .finalizing })
        #expect(answer(try await BusCaller(bus).ask("Stop")) == "endedByAnother")
        #expect(try await stopping.value == "said")
        await listener.close()
    }

    @Test func aHoldOnTheBusReturnsItsText() async throws {
        let (bus, open) = (try TestBus(), try OpenListener())
        let listener = try BusListener.open(open.service, at: bus.address)
        let caller = try BusCaller(bus)
        #expect(answer(try await caller.ask("Hold", profile: "")) == "holding")
        #expect(await open.hasWords())
        // Only the holder can release it.
        #expect(answer(try await BusCaller(bus).ask("Release")) == "nothing")
        #expect(try await open.service.status().state == .recording)
        #expect(text(try await caller.ask("Release"))?.hasPrefix("one two") == true)
        await listener.close()
    }

    @Test func aHoldEndsWithItsHoldersConnection() async throws {
        let (bus, open) = (try TestBus(), try OpenListener())
        let listener = try BusListener.open(open.service, at: bus.address)
        var caller: BusCaller? = try BusCaller(bus)
        let holding = try await caller?.ask("Hold", profile: "")
        #expect(holding.map(answer) == "holding")
        #expect(await open.hasWords())
        caller = nil
        #expect(await open.waits { $0.state == .idle })
        #expect(await eventually { open.service.texts.hasLast })
        #expect(try await open.service.perform(.stop) == .nothing)
        #expect(try await open.service.last()?.text.hasPrefix("one two") == true)
        await listener.close()
    }

    @Test func aCallerThatLeavesDuringAStopLosesNothing() async throws {
        let (bus, open) = (
            try TestBus(),
            try OpenListener(script: [.final("said", at: .milliseconds(40)), .slowFinish(.milliseconds(500))])
        )
        let listener = try BusListener.open(open.service, at: bus.address)
        try await open.service.start()
        #expect(await open.waits { $0.finalText == "said" })
        // busctl gives up, and leaves, before the text is there.
        let said = try await bus.run(
            "/usr/bin/busctl",
            [
                "--user", "--timeout=100ms", "call", BusListener.name, BusListener.objectPath,
                BusListener.name, "Stop",
            ])
        #expect(said.contains("timed out"), "\(said)")
        #expect(await eventually { open.service.texts.hasLast })
        #expect(try await open.service.last()?.text == "said")
        #expect(open.service.texts.pending == 0)
        await listener.close()
    }

    @Test func changesAreSignalledBeforeTheAnswer() async throws {
        let (bus, open) = (try TestBus(), try OpenListener())
        let listener = try BusListener.open(open.service, at: bus.address)
        let caller = try BusCaller(bus)
        try await caller.follow()
        #expect(answer(try await caller.ask("Start", profile: "")) == "recording")
        var states: [String] = []
        while states.last != "recording" { states.append(try await caller.change(of: "State")) }
        var words = ""
        while !words.hasPrefix("one two one") { words = try await caller.change(of: "FinalText") }
        #expect(text(try await caller.ask("Stop"))?.hasPrefix("one two one") == true)
        while states.last != "idle" { states.append(try await caller.change(of: "State")) }
        #expect(states.filter { $0 == "recording" }.count == 1)
        await listener.close()
    }

    @Test func errorsHaveNamesOnTheBus() async throws {
        let (bus, open) = (try TestBus(), try OpenListener())
        let listener = try BusListener.open(open.service, at: bus.address)
        func call(_ arguments: String..., interface: String = BusListener.name) async throws -> String {
            try await bus.run(
                "/usr/bin/gdbus",
                [
                    "call", "--session", "--dest", BusListener.name, "--object-path", BusListener.objectPath,
                    "--method", interface + "." + arguments[0],
                ] + arguments.dropFirst())
        }
        let letters = try await call("Start", "letters")
        #expect(letters.contains("\(BusListener.name).Error.invalidInput") && letters.contains("letters"))
        #expect(try await call("Sing").contains("UnknownMethod"))
        #expect(try await call("Start").contains("InvalidArgs"))
        #expect(try await call("Stop", "now").contains("InvalidArgs"))
        let properties = BusInterface.properties
        #expect(try await call("Get", BusListener.name, "State", interface: properties) == "(<'idle'>,)")
        #expect(try await call("Get", BusListener.name, "Mood", interface: properties).contains("UnknownProperty"))
        #expect(try await call("GetAll", "org.other", interface: properties).contains("UnknownInterface"))
        #expect(
            try await call("Set", BusListener.name, "State", "<'idle'>", interface: properties)
                .contains("PropertyReadOnly"))
        try await open.service.start()
        #expect(try await call("Hold", "").contains("Error.alreadyRunning"))
        await listener.close()
    }

    @Test func theInterfaceIsDescribed() async throws {
        let (bus, open) = (try TestBus(), try OpenListener())
        let listener = try BusListener.open(open.service, at: bus.address)
        let described = try await bus.run(
            "/usr/bin/busctl", ["--user", "introspect", BusListener.name, BusListener.objectPath])
        for method in BusInterface.methods {
            let line = described.split(separator: "\n").first { $0.contains(".\(method.name) ") }
            #expect(line?.contains("method") == true && line?.contains("stss") == true, "\(described)")
        }
        for property in BusInterface.properties(of: open.service.publisher.status) {
            let line = described.split(separator: "\n").first { $0.contains(".\(property.name) ") }
            #expect(line?.contains("emits-change") == true, "\(described)")
        }
        let tree = try await bus.run("/usr/bin/busctl", ["--user", "tree", "--list", BusListener.name])
        #expect(tree.contains(BusListener.objectPath), "\(tree)")
        await listener.close()
    }

    @Test func aSecondServiceIsToldOfTheFirst() async throws {
        let (bus, open) = (try TestBus(), try OpenListener())
        let listener = try BusListener.open(open.service, at: bus.address)
        let second = countingService()
        #expect(await error { _ = try BusListener.open(second, at: bus.address) }?.code == .alreadyRunning)
        await listener.close()
        let third = try BusListener.open(second, at: bus.address)
        await third.close()
    }

    @Test func anotherUsersBusIsRefused() async throws {
        let (bus, open) = (try TestBus(), try OpenListener())
        let found = await error {
            _ = try BusListener.open(
                open.service, at: bus.address, limits: ServiceListener.Limits(), user: 4_000_000_000)
        }
        #expect(found?.code == .permissionDenied)
    }

    @Test func withoutABusTheListenerSaysSo() async throws {
        let open = try OpenListener()
        let found = await error { _ = try BusListener.open(open.service, at: "unix:path=/nonexistent/bus") }
        #expect(found?.code == .notRunning)
        #expect(await error { _ = try BusListener.open(open.service, at: "nonsense") }?.code == .notRunning)
    }

    @Test func aBusThatEndsClosesTheListenerAndTheTakeGoesOn() async throws {
        let open = try OpenListener()
        var bus: TestBus? = try TestBus()
        let listener = try BusListener.open(open.service, at: try #require(bus).address)
        try await open.service.start()
        bus = nil
        await listener.closed()
        #expect(await open.hasWords())
        #expect(try await open.service.stop()?.isComplete == true)
    }

    @Test func callsBeyondTheLimitsAreRefused() async throws {
        let (bus, open) = (
            try TestBus(),
            try OpenListener(script: [.final("said", at: .milliseconds(40)), .slowFinish(.milliseconds(500))])
        )
        let listener = try BusListener.open(
            open.service, at: bus.address, limits: ServiceListener.Limits(clients: 1), user: geteuid())
        let (first, second) = (try BusCaller(bus), try BusCaller(bus))
        #expect(answer(try await first.ask("Hold", profile: "")) == "holding")
        #expect(await open.waits { $0.finalText == "said" })
        #expect(await error { _ = try await second.ask("Pause") }?.underlying?.message?.contains("Too many") == true)
        #expect(text(try await first.ask("Release")) == "said")
        #expect(text(try await second.ask("Last")) == "said")
        await listener.close()
    }
}
#endif

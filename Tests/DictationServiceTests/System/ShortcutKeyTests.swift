#if SystemBus
import DictationCore
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import DictationDesktop
@testable import DictationService

/// A mock of the portal for global shortcuts.
@Suite struct ShortcutKeyTests {
    private static let portal = URL(filePath: #filePath)
        .appending(path: "../../../../Command/Tests/EndToEndTests/Fixtures/portal.py").standardized.path

    private func startPortal(on bus: TestBus, answering code: Int = 0) async throws {
        try bus.start("/usr/bin/python3", [Self.portal, "\(code)"])
        _ = try await bus.run(
            "/usr/bin/gdbus", ["wait", "--session", "--timeout", "60", "org.freedesktop.portal.Desktop"])
    }

    private func emit(
        _ bus: TestBus, _ signal: String, _ types: String, _ values: String, at path: String = "", of interface: String
    ) async throws {
        let answer = try await bus.run(
            "/usr/bin/gdbus",
            [
                "call", "--session", "--dest", "org.freedesktop.portal.Desktop", "--object-path",
                "/org/freedesktop/portal/desktop" + path, "--method", "org.freedesktop.DBus.Mock.EmitSignal",
                "org.freedesktop.portal." + interface, signal, types, values,
            ])
        #expect(answer == "()")
    }

    private func press(_ bus: TestBus, _ signal: String, session: String = "dictation", id: String = "dictate")
        async throws
    {
        try await emit(
            bus, signal, "osta{sv}",
            "[<objectpath '/org/freedesktop/portal/desktop/session/test/\(session)'>, <'\(id)'>, <uint64 7>, <@a{sv} {}>]",
            of: "GlobalShortcuts")
    }

    @Test func aTakeLastsAsLongAsTheKeyIsHeld() async throws {
        let (bus, open) = (try TestBus(), try OpenListener())
        try await startPortal(on: bus)
        let key = try await ShortcutKey.bind(preferring: "LOGO+d", at: bus.address)
        let (texts, send) = AsyncStream<Result<DictatedText, DictationError>>.makeStream()
        let service = open.service
        let dictating = Task { await key.dictate(with: service) { send.yield($0) } }
        var results = texts.makeAsyncIterator()

        for _ in 0..<2 {
            try await press(bus, "Activated")
            // A key that repeats, another key and another session change nothing.
            try await press(bus, "Activated")
            try await press(bus, "Deactivated", id: "other")
            try await press(bus, "Deactivated", session: "other")
            #expect(await open.hasWords())
            #expect(try await service.status().state == .recording)
            try await press(bus, "Deactivated")
            #expect(try await results.next()?.get().text.hasPrefix("one two") == true)
            #expect(await open.waits { $0.state == .idle })
        }

        // Whoever holds the key while another take is recorded is told so.
        try await service.start()
        try await press(bus, "Activated")
        guard case .failure(let found) = await results.next() else {
            Issue.record("The key held another's take.")
            return
        }
        #expect(found.code == .alreadyRunning)
        try await service.cancel()
        try await press(bus, "Deactivated")

        // A desktop that takes the key away while it is held ends the take.
        try await press(bus, "Activated")
        #expect(await open.hasWords())
        try await emit(bus, "Closed", "", "@av []", at: "/session/test/dictation", of: "Session")
        await dictating.value
        #expect(await open.waits { $0.state == .idle })
        #expect(await eventually { service.texts.pending == 0 && service.texts.hasLast })
        await open.listener.close()
    }

    @Test func aUserMayDecline() async throws {
        let bus = try TestBus()
        try await startPortal(on: bus, answering: 1)
        #expect(await error { _ = try await ShortcutKey.bind(at: bus.address) }?.code == .cancelled)
    }

    @Test func aDesktopWithoutThePortalSaysSo() async throws {
        let bus = try TestBus()
        let found = await error { _ = try await ShortcutKey.bind(at: bus.address) }
        #expect(found?.code == .unsupportedOption && found?.recovery?.contains("toggle") == true)
        #expect(await error { _ = try await ShortcutKey.bind(at: "unix:path=/no") }?.code == .notRunning)
    }
}
#endif

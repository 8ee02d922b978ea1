#if SystemBus
import DictationCore
import Foundation
import TestSupport
import Testing

@testable import DictationDesktop
@testable import DictationService

/// A mock of logind, with real delays of the sleep.
@Suite struct SleepGuardTests {
    private static let mock = "org.freedesktop.DBus.Mock"

    /// Starts a mock of logind, which ends with its bus.
    private func startLogind(on bus: TestBus) async throws {
        try bus.start("/usr/bin/python3", ["-m", "dbusmock", "--session", "--template", "logind"])
        _ = try await bus.run("/usr/bin/gdbus", ["wait", "--session", "--timeout", "60", "org.freedesktop.login1"])
    }

    private func logind(_ bus: TestBus, _ method: String, _ arguments: String...) async throws -> String {
        try await bus.run(
            "/usr/bin/gdbus",
            [
                "call", "--session", "--dest", "org.freedesktop.login1", "--object-path", "/org/freedesktop/login1",
                "--method", method,
            ] + arguments)
    }

    private func announce(_ isBeginning: Bool, on bus: TestBus) async throws {
        let answer = try await logind(
            bus, Self.mock + ".EmitSignal", "org.freedesktop.login1.Manager", "PrepareForSleep", "b",
            "[<\(isBeginning)>]")
        #expect(answer == "()")
    }

    private func delays(_ bus: TestBus) async throws -> Bool {
        try await logind(bus, "org.freedesktop.login1.Manager.ListInhibitors").contains("'Dictation'")
    }

    /// Asks logind until the answer is as expected.
    private func eventuallyDelays(_ expected: Bool, _ bus: TestBus) async throws -> Bool {
        for _ in 0..<200 where try await delays(bus) != expected {}
        return try await delays(bus) == expected
    }

    @Test func aSleepWaitsForTheTextOfTheTake() async throws {
        let folder = try TemporaryFolder()
        let bus = try TestBus()
        try await startLogind(on: bus)
        let journal = TextJournal(path: folder.file("journal.jsonl"))
        let open = try OpenListener(journal: journal)
        let sleepGuard = try SleepGuard.start(for: open.service, at: bus.address)
        #expect(try await eventuallyDelays(true, bus))
        try await open.service.start()
        #expect(await open.hasWords())

        try await announce(true, on: bus)
        #expect(try await eventuallyDelays(false, bus))
        // The sleep may begin: the microphone is closed and the text is on the disk.
        #expect(try await open.service.status().state == .idle)
        #expect(try await journal.texts().last?.text.hasPrefix("one two") == true)

        try await announce(false, on: bus)
        #expect(try await eventuallyDelays(true, bus))
        #expect(try await open.service.status().state == .idle)
        #expect(try await open.service.stop()?.text.hasPrefix("one two") == true)

        try await open.service.start()
        #expect(await open.hasWords())
        try await announce(true, on: bus)
        #expect(try await eventuallyDelays(false, bus))
        #expect(try await open.service.status().state == .idle)
        withExtendedLifetime(sleepGuard) {}
        await open.listener.close()
    }

    @Test func aMachineWithoutLogindIsNotGuarded() async throws {
        let (bus, open) = (try TestBus(), try OpenListener())
        let sleepGuard = try SleepGuard.start(for: open.service, at: bus.address)
        try await open.service.start()
        #expect(await open.hasWords())
        withExtendedLifetime(sleepGuard) {}
        let found = await error { _ = try SleepGuard.start(for: open.service, at: "unix:path=/nonexistent/bus") }
        #expect(found?.code == .notRunning)
    }
}
#endif

import DictationCore
import Foundation
import TestSupport
import Testing

@testable import DictationDesktop
@testable import DictationService

/// The examples in Python and for the shell, with a real listener.
@Suite struct ExampleClientTests {
    private static let clients = URL(filePath: #filePath).deletingLastPathComponent().appending(
        path: "../../../Examples/clients"
    ).standardizedFileURL.path

    /// Runs a client, and returns what it printed without the end of the line.
    private func run(_ client: String, _ intent: String, in folder: String) async throws -> String {
        try await output(of: Self.clients + "/" + client, [intent], environment: ["XDG_RUNTIME_DIR": folder])
    }

    @Test(arguments: ["dictation.py", "dictation.sh"]) func aDozenLinesAreAClient(client: String) async throws {
        let open = try OpenListener(place: "dictation/socket")
        let folder = open.folder.path
        #expect(try await run(client, "status", in: folder) == "idle")
        #expect(try await run(client, "stop", in: folder) == "nothing")
        #expect(try await run(client, "start", in: folder) == "recording")
        #expect(await open.hasWords())
        #expect(try await run(client, "pause", in: folder) == "paused")
        #expect(try await run(client, "toggle", in: folder).hasPrefix("one two"))
        #expect(try await run(client, "last", in: folder).hasPrefix("one two"))
        #expect(try await run(client, "sing", in: folder).contains("can't be understood"))
        await open.listener.close()
    }

    #if SystemBus
    @Test(arguments: ["dictation_bus.py", "dictation_bus.sh"]) func aDozenLinesAreACallerOnTheBus(
        client: String
    ) async throws {
        let (bus, open) = (try TestBus(), try OpenListener())
        let listener = try BusListener.open(open.service, at: bus.address)
        func run(_ intent: String) async throws -> String {
            try await bus.run(Self.clients + "/" + client, [intent])
        }
        #expect(try await run("stop") == "nothing")
        #expect(try await run("status").contains("idle"))
        #expect(try await run("start") == "recording")
        #expect(await open.hasWords())
        #expect(try await run("pause") == "paused")
        #expect(try await run("toggle").hasPrefix("one two"))
        #expect(try await run("last").hasPrefix("one two"))
        #expect(try await run("sing").contains("no method"))
        await listener.close()
    }
    #endif
}

import DictationCore
import Foundation
import TestSupport
import Testing

@testable import DictationService

/// The examples in Python and for the shell, with a real door.
@Suite struct ExampleClientTests {
    private static let clients = URL(filePath: #filePath).deletingLastPathComponent().appending(
        path: "../../../Examples/clients"
    ).standardizedFileURL.path

    /// Runs a client, and returns what it printed without the end of the line.
    private func run(_ client: String, _ intent: String, in folder: String) async throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: Self.clients + "/" + client)
        process.arguments = [intent]
        process.environment = ProcessInfo.processInfo.environment.merging(["XDG_RUNTIME_DIR": folder]) { $1 }
        let output = URL(filePath: folder + "/output-\(intent)")
        #expect(FileManager.default.createFile(atPath: output.path, contents: nil))
        let handle = try FileHandle(forWritingTo: output)
        process.standardOutput = handle
        process.standardError = handle
        process.standardInput = FileHandle.nullDevice
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            process.terminationHandler = { _ in continuation.resume() }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
        return try String(contentsOf: output, encoding: .utf8).trimmingCharacters(in: .newlines)
    }

    @Test(arguments: ["dictation.py", "dictation.sh"]) func aDozenLinesAreAClient(client: String) async throws {
        let open = try OpenDoor(place: "dictation/socket")
        let folder = open.folder.path
        #expect(try await run(client, "stop", in: folder) == "nothing")
        #expect(try await run(client, "start", in: folder) == "recording")
        #expect(await open.hasWords())
        #expect(try await run(client, "pause", in: folder) == "paused")
        #expect(try await run(client, "toggle", in: folder).hasPrefix("one two"))
        #expect(try await run(client, "last", in: folder).hasPrefix("one two"))
        #expect(try await run(client, "sing", in: folder).contains("can't be understood"))
        await open.door.close()
    }
}

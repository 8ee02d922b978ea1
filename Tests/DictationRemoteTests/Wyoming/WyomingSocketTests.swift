#if Remote && Server
import CSockets
import DictationCore
import DictationEngines
import Foundation
import TestSupport
import Testing

@testable import DictationRemote

/// Wyoming over a unix socket, the engine on one side and the server on the other.
@Suite struct WyomingSocketTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("wyoming")
    }

    private func server() throws -> ServerProgram {
        try ServerProgram { [path] in ($0.http, $0.wyomingSocket) = (nil, path) }
    }

    private func heard() async throws -> Heard {
        let engine = try WyomingEngine(RemoteServer("unix:" + path), locales: ["en-US"])
        try await engine.prepare(RecognitionOptions())
        return await hear(CodedSpeech.buffers(words: 0..<5), with: engine, RecognitionOptions())
    }

    @Test func aTakeGoesThroughASocketThatOthersCanNotOpen() async throws {
        let running = try server()
        let heard = try await heard()
        #expect(heard.text == "one two three four" && heard.error == nil, "\(heard)")
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(await error { _ = try server() }?.code == .alreadyRunning)
        await running.server.stop()
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func theSocketOfAKilledServerIsReplaced() async throws {
        // A killed server does not remove its socket.
        let left = dictation_listen_at_path(path)
        try #require(left >= 0)
        dictation_close(left)
        let running = try server()
        #expect(try await heard().text == "one two three four")
        await running.server.stop()
    }

    @Test(arguments: ["wyoming", "", "/", "/nonexistent/wyoming", "/" + String(repeating: "x", count: 120)])
    func otherPathsAreRefused(_ path: String) async {
        let thrown = await error { _ = try ServerProgram { $0.wyomingSocket = path } }
        #expect(thrown?.message.contains("Nothing can be served") == true, "\(String(describing: thrown))")
    }

    @Test func aFileIsNeverReplaced() async throws {
        _ = try folder.write([1], to: "wyoming")
        #expect(await error { _ = try server() }?.code == .alreadyRunning)
        #expect(try Data(contentsOf: URL(filePath: path)) == Data([1]))
    }
}
#endif

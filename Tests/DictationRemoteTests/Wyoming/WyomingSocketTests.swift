#if Remote && Server
import DictationCore
import DictationEngines
import DictationSystem
import Foundation
import TestSupport
import Testing

@testable import DictationRemote
@testable import DictationServer

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
        let engine = try RemoteEngine(.wyoming, RemoteServer("unix:" + path), locales: ["en-US"])
        try await engine.prepare(RecognitionOptions())
        return await hear(CodedSpeech.buffers(words: 0..<5), with: engine, RecognitionOptions())
    }

    /// A program that another test starts at this moment has a copy of the descriptor, so closing it is not enough.
    private func end(_ socket: Int32) {
        shutdown(socket, Int32(SHUT_RDWR))
        close(socket)
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
        end(try SocketFile.listen(at: path).socket)
        let running = try server()
        #expect(try await heard().text == "one two three four")
        await running.server.stop()
    }

    /// Each of them finds the socket of a program that ended. Without the lock, one would remove the socket of another that
    /// listens already.
    @Test func oneOfManyTakesThePlaceOfAnOldSocket() async throws {
        for _ in 0..<50 {
            end(try SocketFile.listen(at: path).socket)
            let found = await withTaskGroup(of: (socket: Int32, file: SocketFile)?.self) { group in
                for _ in 0..<8 {
                    group.addTask(executorPreference: DictationRuntime.current.blockingExecutor("listen")) {
                        [path] in try? SocketFile.listen(at: path)
                    }
                }
                return await group.reduce(into: []) { $0 += [$1].compactMap(\.self) }
            }
            #expect(found.count == 1 && found[0].file.isThere)
            for (socket, _) in found { end(socket) }
        }
    }

    @Test(arguments: ["wyoming", "", "/", "/nonexistent/wyoming", "/" + String(repeating: "x", count: 120)])
    func otherPathsAreRefused(_ path: String) async {
        let thrown = await error { _ = try ServerProgram { $0.wyomingSocket = path } }
        #expect(thrown?.message.contains("Nothing can be served") == true, "\(String(describing: thrown))")
    }

    @Test func aFileIsNeverReplaced() async throws {
        _ = try folder.write([1], to: "wyoming")
        #expect(await error { _ = try server() }?.code == .invalidInput)
        #expect(try Data(contentsOf: URL(filePath: path)) == Data([1]))
    }

    @Test func aServerRemovesOnlyItsOwnSocket() async throws {
        let running = try server()
        try FileManager.default.removeItem(atPath: path)
        _ = try folder.write([1], to: "wyoming")
        await running.server.stop()
        #expect(try Data(contentsOf: URL(filePath: path)) == Data([1]))
    }

    @Test(arguments: [0o777, 0o1777, 0o775])
    func aFolderThatOthersCanWriteToIsRefused(mode: Int) async throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: folder.path)
        #expect(await error { _ = try server() }?.code == .permissionDenied)
        #expect(names(in: folder.path) == [])
    }
}
#endif

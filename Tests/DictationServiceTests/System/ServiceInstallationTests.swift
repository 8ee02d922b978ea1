import DictationCore
import Foundation
import Glibc
import TestSupport
import Testing

@testable import DictationDesktop
@testable import DictationService

@Suite struct ServiceInstallationTests {
    @Test func wordsWithSpecialCharactersStayOneWord() {
        #expect(ServiceInstallation.quotedForSystemd(#"a "b" \c 50% $HOME"#) == #""a \"b\" \\c 50%% $$HOME""#)
        #expect(ServiceInstallation.quotedForBus("it's $HOME") == #"'it'\''s $HOME'"#)
    }

    @Test func controlCharactersAreRefused() async {
        let found = await error { _ = try ServiceInstallation(program: "/bin/dictate", arguments: ["a\nb"]) }
        #expect(found?.code == .invalidInput)
    }

    /// A socket that another program opened, as systemd does.
    private func listen(at path: String) throws -> Int32 {
        let number = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(107)) }
        let code = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(number, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(code == 0 && Glibc.listen(number, 8) == 0)
        return number
    }

    @Test func aListenerOpensOnASocketThatListensAlready() async throws {
        let folder = try TemporaryFolder()
        try makeFolder(folder.file("run"))
        let path = folder.file("run/socket")
        let service = countingService()
        let number = try listen(at: path)
        // systemd keeps its own copy.
        let copy = fcntl(number, F_DUPFD_CLOEXEC, 3)
        let listener = try ServiceListener.open(service, inheriting: number)
        #expect(listener.path == path)
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let client = try DictationClient(path: path, answerTimeout: .seconds(20))
        #expect(try await client.status().state == .idle)
        let second = countingService()
        #expect(await error { _ = try ServiceListener.open(second, at: path) }?.code == .alreadyRunning)
        await listener.close()
        // The next client starts the service again, so the socket still listens.
        let third = try ServiceListener.open(second, inheriting: copy)
        #expect(try await client.status().state == .idle)
        await third.close()
    }

    @Test func aSocketIsNotTakenFromAServiceThatRuns() async throws {
        let folder = try TemporaryFolder()
        let (first, second) = (countingService(), countingService())
        let listener = try ServiceListener.open(first, at: folder.file("run/socket"))
        unlink(listener.path)
        let number = try listen(at: listener.path)
        #expect(await error { _ = try ServiceListener.open(second, inheriting: number) }?.code == .alreadyRunning)
        await listener.close()
    }

    @Test func onlyAListeningUnixSocketIsInherited() async throws {
        var pair: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
        defer { close(pair[1]) }
        for number in [pair[0], open("/dev/null", O_RDONLY), socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0), 9_999] {
            let service = countingService()
            #expect(await error { _ = try ServiceListener.open(service, inheriting: number) }?.code == .invalidInput)
        }
    }
}

import DictationCore
import DictationSystem
import Foundation
import Glibc
import TestSupport
import Testing

@testable import DictationService

/// What a service does to the path of its socket and to the folder around it.
@Suite struct SocketPlaceTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("socket")
    }

    private func listening() async -> DictationError? { await error { _ = try SocketPlace(path).listen() } }

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test func aFileIsNeverReplaced() async throws {
        _ = try folder.write([1], to: "socket")
        let found = await listening()
        #expect(found?.code == .invalidInput && found?.recovery?.contains("another path") == true)
        #expect(try Data(contentsOf: URL(filePath: path)) == Data([1]))
    }

    @Test(arguments: ["a file", "run/socket", "nothing"])
    func aLinkIsNeverReplaced(target: String) async throws {
        _ = try folder.write([1], to: "a file")
        let other = try SocketPlace(folder.file("run/socket")).listen()
        defer { other.end() }
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: folder.file(target))
        #expect(await listening()?.code == .invalidInput)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: path) == folder.file(target))
        #expect(isThere(folder.file("run/socket")))
    }

    @Test func aPipeAndAFolderAreNeverReplaced() async throws {
        mkfifo(path, 0o600)
        #expect(await listening()?.code == .invalidInput)
        unlink(path)
        try makeFolder(path)
        #expect(await listening()?.code == .invalidInput)
        #expect(isThere(path))
    }

    @Test(arguments: [SOCK_STREAM, SOCK_DGRAM, SOCK_SEQPACKET].map { Int32($0.rawValue) })
    func aSocketThatAnotherProgramServesIsLeftAlone(kind: Int32) async throws {
        let other = socket(AF_UNIX, kind | Int32(SOCK_CLOEXEC.rawValue), 0)
        defer { close(other) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(other, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(bound == 0)
        if kind != Int32(SOCK_DGRAM.rawValue) { try #require(listen(other, 1) == 0) }
        #expect(await listening()?.code == .alreadyRunning)
        #expect(isThere(path))
    }

    /// A socket unit is activated although a service was started by hand.
    @Test func aSocketOfSystemdIsNotServedBesideAnother() async throws {
        let served = try SocketPlace(path).listen()
        try FileManager.default.removeItem(atPath: path)
        let (number, file) = try SocketFile.listen(at: path)
        #expect(await error { _ = try SocketPlace.inherit(number) }?.code == .alreadyRunning)
        withExtendedLifetime(served) {}
        file.remove()
    }

    @Test func anExistingFolderKeepsItsMode() async throws {
        let listener = try ServiceListener.open(countingService(), at: path)
        #expect(try mode(folder.path) == 0o755)
        await listener.close()
        #expect(try mode(folder.path) == 0o755 && names(in: folder.path) == ["lock"])
    }

    /// In a sticky folder, others can't replace the socket, but they can take its name first.
    @Test(arguments: [0o777, 0o1777, 0o775])
    func aFolderThatOthersCanWriteToIsRefused(mode: Int) async throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: folder.path)
        let found = await listening()
        #expect(found?.code == .permissionDenied && found?.recovery?.contains("folder") == true)
        #expect(try self.mode(folder.path) == mode && names(in: folder.path) == [])
    }

    @Test func aFolderThatIsALinkIsRefused() async throws {
        try FileManager.default.createSymbolicLink(atPath: folder.file("link"), withDestinationPath: folder.path)
        #expect(await error { _ = try SocketPlace(folder.file("link/socket")).listen() }?.code == .permissionDenied)
    }

    /// The lock's name is fixed, and somebody may use it for something else.
    @Test func aFileWithTheNameOfTheLockKeepsItsContents() async throws {
        _ = try folder.write(Array("versions: 1".utf8), to: "lock")
        #expect(await listening()?.code == .invalidInput)
        #expect(try Data(contentsOf: URL(filePath: folder.file("lock"))) == Data("versions: 1".utf8))
    }

    @Test func aListenerRemovesOnlyItsOwnSocket() async throws {
        let listener = try ServiceListener.open(countingService(), at: path)
        unlink(path)
        _ = try folder.write([1], to: "socket")
        await listener.close()
        #expect(try Data(contentsOf: URL(filePath: path)) == Data([1]))
    }
}

import DictationCore
import Foundation
import Glibc
import Testing

@testable import DictationSystem

@Suite struct FolderTests {
    /// A folder `inside` to work in, and one `outside` that nothing may change.
    private final class Ground {
        let path: String
        var inside: String { path + "/inside" }
        var outside: String { path + "/outside" }

        init() throws {
            path = FileManager.default.temporaryDirectory.path + "/folders-\(UUID().uuidString)"
            for name in ["inside/a/b", "outside/kept"] {
                try FileManager.default.createDirectory(
                    atPath: path + "/" + name, withIntermediateDirectories: true)
            }
            try Data("kept".utf8).write(to: URL(fileURLWithPath: outside + "/kept/file"))
            try Data("deep".utf8).write(to: URL(fileURLWithPath: inside + "/a/b/file"))
            for (name, target) in [("link", outside), ("a/link", outside + "/kept"), ("dangling", outside + "/new")] {
                try FileManager.default.createSymbolicLink(
                    atPath: inside + "/" + name, withDestinationPath: target)
            }
        }

        func open(_ way: Folder.Resolution) throws -> Folder {
            guard let folder = try Folder.existing(inside, resolution: way) else { throw POSIXError(.ENOENT) }
            return folder
        }

        deinit { try? FileManager.default.removeItem(atPath: path) }

        var isOutsideUntouched: Bool {
            (try? FileManager.default.subpathsOfDirectory(atPath: outside).sorted()) == ["kept", "kept/file"]
                && FileManager.default.contents(atPath: outside + "/kept/file") == Data("kept".utf8)
        }
    }

    private static let ways = [Folder.Resolution.atOnce, .nameByName]

    @Test(arguments: ways) func noLinkIsFollowed(_ way: Folder.Resolution) throws {
        let ground = try Ground()
        let folder = try ground.open(way)
        #expect(try folder.open(RelativePath("a/b/file"))?.readAll() == Array("deep".utf8))
        for path in ["link/kept/file", "a/link/file", "dangling"] {
            // Not there, or an error: never the bytes.
            let bytes = try? folder.open(RelativePath(path))?.readAll()
            #expect(bytes == nil, "\(path)")
        }
        for name in ["link", "dangling"] {
            let name = try FileName(name)
            #expect((try? folder.folder(name)?.names()) == nil)
            #expect(throws: DictationError.self) { try folder.makeFolder(name).write([1], to: FileName("evil")) }
            #expect(throws: DictationError.self) { try folder.create(name).write([1]) }
            #expect(throws: DictationError.self) { try folder.openOrCreate(name).write([1]) }
            #expect(folder.status(of: name)?.kind == .link)
        }
        #expect(folder.status(of: try RelativePath("a/link/file")) == nil)
        #expect(folder.status(of: try RelativePath("a/link"))?.kind == .link)
        #expect(folder.status(of: try RelativePath("a/b/file"))?.byteCount == 4)
        #expect(ground.isOutsideUntouched)
    }

    @Test(arguments: ways) func aLinkIsRemovedAndItsTargetStays(_ way: Folder.Resolution) throws {
        let ground = try Ground()
        let folder = try ground.open(way)
        try folder.remove(FileName("link"))
        try folder.remove(FileName("a"))
        try folder.remove(FileName("absent"))
        #expect(try folder.names().map(\.text) == ["dangling"])
        #expect(ground.isOutsideUntouched)
    }

    /// Writing replaces a link, and does not go through it.
    @Test func aSmallFileReplacesALink() throws {
        let ground = try Ground()
        let folder = try Folder.making(ground.inside)
        try folder.write(Array("new".utf8), to: FileName("dangling"))
        #expect(try folder.read(FileName("dangling")) == Array("new".utf8))
        #expect(try folder.names().map(\.text) == ["a", "dangling", "link"])
        #expect(ground.isOutsideUntouched)
    }

    @Test func aPipeIsNoFileAndIsNotWaitedFor() throws {
        let ground = try Ground()
        try #require(mkfifo(ground.inside + "/pipe", 0o600) == 0)
        let folder = try Folder.making(ground.inside)
        #expect(throws: DictationError.self) { try folder.read(FileName("pipe")) }
        #expect(throws: DictationError.self) { _ = try OpenFile.reading(ground.inside + "/pipe") }
        #expect(throws: DictationError.self) { try folder.openOrCreate(FileName("pipe")).write([1]) }
        #expect(throws: DictationError.self) { try folder.files() }
    }

    @Test func whatIsTheUsersOwnIsHisAlone() throws {
        let ground = try Ground()
        let folder = try Folder.making(ground.path + "/new/private", .own)
        let inner = try folder.makeFolder(FileName("inner"), .own)
        try inner.write([1], to: FileName("file"), .own)
        func mode(_ path: String) -> mode_t {
            var status = stat()
            return stat(ground.path + "/new/private" + path, &status) == 0 ? status.st_mode & 0o777 : 0
        }
        #expect(mode("") == 0o700 && mode("/inner") == 0o700 && mode("/inner/file") == 0o600)
    }

    @Test func aNameOfAnyBytesIsListedAndRemoved() throws {
        let ground = try Ground()
        let strange = try FileName(anySpelling: [0xFF, 0x0A, 0x61])
        let folder = try Folder.making(ground.inside)
        try folder.makeFolder(strange).write([1], to: strange)
        #expect(try folder.names().last == strange)
        try folder.remove(strange)
        #expect(try !folder.names().contains(strange))
    }

    @Test func twoNamesTradePlaces() throws {
        let ground = try Ground()
        let folder = try Folder.making(ground.inside)
        let other = try folder.makeFolder(FileName("other"))
        try other.write([1], to: FileName("new"))
        try other.exchange(FileName("new"), with: FileName("a"), in: folder)
        #expect(try folder.read(FileName("a")) == [1])
        #expect(try other.folder(FileName("new"))?.names().map(\.text) == ["b", "link"])
    }

    @Test func aFileSystemWithoutASizeIsNotFull() throws {
        #expect(freeByteCount(at: "/proc/nothing/here") == nil)
        #expect(try #require(freeByteCount(at: Ground().path)) > 0)
    }

    @Test func aPathWithAZeroByteIsRefused() throws {
        let ground = try Ground()
        #expect(throws: DictationError.self) { _ = try Folder.making(ground.path + "/a\u{0}b") }
        #expect(throws: DictationError.self) { _ = try Folder.existing(ground.inside + "\u{0}x") }
        #expect(throws: DictationError.self) { _ = try OpenFile.reading(ground.outside + "/kept/file\u{0}.txt") }
    }
}

import Foundation
import Glibc
import Testing

@testable import DictateCommand

/// Files, links and pipes of other users.
@Suite struct OutputFileTests {
    private let folder = NSTemporaryDirectory() + "dictate-\(UUID().uuidString)"
    /// Only root can give a file away. For others, the user who writes is another one.
    private let user: uid_t = geteuid() == 0 ? 0 : 4_000_000_000

    init() throws { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }

    private func giveAway(_ name: String) -> String {
        let path = folder + "/" + name
        if geteuid() == 0 { lchown(path, 65_534, 65_534) }
        return path
    }

    private func error(_ path: String) -> OutputError? {
        do throws(OutputError) {
            try OutputFile(path: path, user: user).discard()
            return nil
        } catch { return error }
    }

    @Test func nothingIsWrittenToAnotherUsersFileLinkOrPipe() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try Data("old".utf8).write(to: URL(filePath: folder + "/file"))
        try FileManager.default.createSymbolicLink(atPath: folder + "/link", withDestinationPath: "mine")
        try #require(mkfifo(folder + "/pipe", 0o666) == 0)
        let reader = open(folder + "/pipe", O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        defer { close(reader) }
        for name in ["file", "link", "pipe"] {
            let path = giveAway(name)
            #expect(error(path) == .belongsToAnother(name: path))
        }
        #expect(try Data(contentsOf: URL(filePath: folder + "/file")) == Data("old".utf8))
        #expect(error("/dev/null") == nil && error(folder + "/new") == nil)
    }
}

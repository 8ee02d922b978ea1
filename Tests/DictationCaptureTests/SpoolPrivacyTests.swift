import DictationCapture
import DictationCore
import Foundation
import Testing

/// A spool stays in its folder, and keeps what was said from others.
@Suite struct SpoolPrivacyTests {
    private let folder = TemporaryFolder()
    private var spool: WaveSpool { WaveSpool(folder: folder("spool")) }

    /// A take of one buffer, closed; its folder.
    private func take() async throws -> (id: String, folder: String) {
        let writer = try await spool.makeWriter()
        try await writer.append(.buffer(AudioBuffer([Int16](repeating: 1, count: 1_600))))
        try await writer.close()
        return (writer.id, folder("spool/" + writer.id))
    }

    private func permissions(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test func foldersAndFilesAreForTheUserAlone() async throws {
        let (_, take) = try await take()
        #expect(try permissions(folder("spool")) == 0o700)
        #expect(try permissions(take) == 0o700)
        let names = try FileManager.default.contentsOfDirectory(atPath: take)
        #expect(names.count == 2)
        for name in names { #expect(try permissions(take + "/" + name) == 0o600) }
    }

    @Test(arguments: [
        "", ".", "..", "../x", "/", "a/\u{301}b", "\u{600}/..", "a\u{600}/b", "a\nb", "\u{202E}a", "e\u{301}",
    ])
    func aNameThatLeadsElsewhereIsNoTake(_ id: String) async throws {
        _ = try await take()
        for tried in ["read", "discard"] {
            let error = await #expect(throws: DictationError.self, "\(tried)") {
                if tried == "read" { _ = try await spool.read(id) } else { try await spool.discard(id) }
            }
            #expect(error?.code == .invalidInput)
        }
        #expect(try await spool.takes().count == 1)
    }

    /// To Swift, the slash before such a mark is none.
    @Test(arguments: ["sub/\u{301}.wav", "sub\u{600}/1.wav"])
    func aJournalReadsNoFileElsewhere(_ name: String) async throws {
        let (id, take) = try await take()
        let bytes = Array(name.utf8)
        let slash = try #require(bytes.lastIndex(of: UInt8(ascii: "/")))
        let place = take + "/" + String(decoding: bytes[..<slash], as: UTF8.self)
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        try #require(rename(take + "/1.wav", take + "/" + name) == 0)
        let journal = take + "/journal.jsonl"
        let text = try String(contentsOfFile: journal, encoding: .utf8)
        try Data(text.replacing("1.wav", with: name).utf8).write(to: URL(filePath: journal))
        let error = await #expect(throws: DictationError.self) { _ = try await spool.read(id) }
        #expect(error?.message.contains("damaged") == true)
    }

    @Test func aLinkInPlaceOfATakeIsRemovedAndNotItsTarget() async throws {
        let (id, take) = try await take()
        try FileManager.default.moveItem(atPath: take, toPath: folder("elsewhere"))
        try FileManager.default.createSymbolicLink(atPath: take, withDestinationPath: folder("elsewhere"))
        try await spool.discard(id)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder("spool")).isEmpty)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder("elsewhere")).count == 2)
    }

    @Test(.timeLimit(.minutes(1)), arguments: ["1.wav", "journal.jsonl"])
    func aPipeInATakeIsNotWaitedFor(_ name: String) async throws {
        let (id, take) = try await take()
        unlink(take + "/" + name)
        mkfifo(take + "/" + name, 0o600)
        do {
            for try await event in try await spool.read(id) { if case .buffer = event { Issue.record("Audio came.") } }
        } catch { #expect(error.code == .fileUnreadable) }
    }
}

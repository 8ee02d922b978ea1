import DictationBatch
import DictationCore
import Foundation
import TestSupport
import Testing

/// Folders that change, are deep, or have what is no recording.
struct HostileFolderTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func items(_ path: String) async throws -> [BatchItem] {
        var items: [BatchItem] = []
        for try await item in BatchManifest(path: path) { items.append(item) }
        return items
    }

    @Test func whatIsNoFileHoldsNobodyUp() async throws {
        _ = try folder.write([0], to: "good.wav")
        #expect(mkfifo(folder.file("fifo.wav"), 0o600) == 0)
        for (target, name) in [
            ("/dev/zero", "zero.wav"), ("self.wav", "self.wav"), ("two.wav", "one.wav"), ("one.wav", "two.wav"),
            ("/none", "dangling.wav"), ("good.wav", "link.wav"), (".", "dot"), ("..", "up.wav"),
        ] { #expect(symlink(target, folder.file(name)) == 0) }
        try makeFolder(folder.file("folder.wav"))
        let found = try await items(folder.path)
        #expect(found.contains { $0.path.hasSuffix("/good.wav") && $0.fault == nil })
        #expect(found.contains { $0.path.hasSuffix("/link.wav") && $0.fault == nil })
        // A link to a folder is not followed.
        #expect(!found.contains { $0.path.contains("dot/") || $0.path.contains("up.wav/") })
        #expect(Set(found.map(\.id)).count == found.count)
    }

    @Test func aFolderMayChangeWhileItIsListed() async throws {
        for index in 0..<30 {
            try makeFolder(folder.file("f\(index)"))
            for file in 0..<20 { _ = try folder.write([0], to: "f\(index)/\(file).wav") }
        }
        var (seen, faults): ([String], Int) = ([], 0)
        for try await item in BatchManifest(path: folder.path) {
            if item.fault != nil { faults += 1 } else { seen.append(item.path) }
            if seen.count == 5 {
                for index in stride(from: 0, to: 30, by: 2) {
                    try FileManager.default.removeItem(atPath: folder.file("f\(index)"))
                }
                // What was a folder is a file.
                _ = try folder.write([0], to: "f8")
                for file in 0..<5 { _ = try folder.write([0], to: "f29/new-\(file).wav") }
            }
        }
        #expect(Set(seen).count == seen.count)
        // The folders that stayed are whole.
        for index in stride(from: 1, to: 30, by: 2) {
            #expect(seen.count { $0.contains("/f\(index)/") && !$0.contains("new-") } == 20, "\(index)")
        }
        #expect(faults <= 30)
    }

    @Test func aFolderThatIsGoneIsAnError() async throws {
        try makeFolder(folder.file("calls"))
        try FileManager.default.removeItem(atPath: folder.file("calls"))
        for path in ["calls", "calls/", "calls/*.wav", "calls/**"] {
            let failure = await error { _ = try await items(folder.file(path)) }
            #expect(failure?.message.contains("calls") == true, "\(path)")
        }
    }

    /// Deeper than a path may be long.
    @Test func aVeryDeepFolderIsAFault() async throws {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/bash")
        process.arguments = [
            "-ec",
            """
            cd '\(folder.path)'; name=$(printf 'd%.0s' {1..200}); echo >a.wav
            for _ in {1..40}; do mkdir $name; cd $name; echo >x.wav; done
            """,
        ]
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        let found = try await items(folder.path)
        #expect(found.count { $0.fault == nil } >= 20 && found.contains { $0.path.hasSuffix("/a.wav") })
        // What could not be looked at is not left out silently.
        #expect(found.count == 41 || found.contains { $0.fault != nil }, "\(found.count)")
        let end = Process()
        end.executableURL = URL(filePath: "/bin/rm")
        end.arguments = ["-rf", folder.path]
        try end.run()
        end.waitUntilExit()
    }

    @Test(arguments: [
        "[", "[a", "[]", "[!", "a[b-", "*[", "**", "***", "**/**/**/**/**/**/*.none", "[z-a]*", "\\*", "{a,b}.wav",
    ])
    func noPatternIsACrash(pattern: String) async throws {
        for name in ["a", "a/b", "a/b/c"] { try makeFolder(folder.file(name)) }
        _ = try folder.write([0], to: "a/b/c/d.wav")
        do {
            #expect(try await items(folder.file(pattern)).count <= 1)
        } catch let error as DictationError {
            #expect(error.recovery != nil)
        }
    }

    /// Each `*` could match in many ways; that takes no time that grows with all of them.
    @Test(.timeLimit(.minutes(1))) func aPatternOfManyStarsEnds() async throws {
        _ = try folder.write([0], to: String(repeating: "a", count: 200) + ".wav")
        await #expect(throws: DictationError.self) {
            try await items(folder.file(String(repeating: "*a", count: 60) + "*b"))
        }
    }
}

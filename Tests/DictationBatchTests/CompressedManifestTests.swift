import DictationBatch
import DictationCore
import Foundation
import TestSupport
import Testing

/// Compressed manifests that are torn, damaged, joined or have something behind them.
struct CompressedManifestTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Runs a line of shell in the folder, and returns the file “packed”.
    private func pack(_ line: String) throws -> [UInt8] {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/bash")
        process.arguments = ["-ec", "cd '\(folder.path)'; rm -f packed; \(line)"]
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "\(line)")
        return [UInt8](try Data(contentsOf: URL(filePath: folder.file("packed"))))
    }

    /// The items, until the error if there is one.
    private func items(_ bytes: [UInt8]) async throws -> (items: [BatchItem], error: DictationError?) {
        let path = try folder.write(bytes, to: "list")
        var items: [BatchItem] = []
        var iterator = BatchManifest(path: path).makeAsyncIterator()
        do throws(DictationError) {
            while let item = try await iterator.next() { items.append(item) }
            return (items, nil)
        } catch {
            return (items, error)
        }
    }

    private static let programs = ["gzip -c", "zstd -qc", "zstd -qc --no-check"]

    /// A file that was cut short is an error, or has a wrong line. It is never a shorter list.
    @Test(arguments: programs) func aTornFileIsNoShorterList(program: String) async throws {
        let bytes = try pack("printf 'a.wav\\nb.wav\\nc.wav\\n' | \(program) >packed")
        let whole = try await items(bytes)
        #expect(whole.items.map(\.id) == ["a.wav", "b.wav", "c.wav"] && whole.error == nil)
        // A single byte may be a path.
        for length in 2..<bytes.count {
            let torn = try await items(Array(bytes[..<length]))
            #expect(torn.error != nil || torn.items.contains { $0.fault != nil }, "\(length) of \(bytes.count)")
        }
    }

    @Test(arguments: programs) func aDamagedFileIsNoCrash(program: String) async throws {
        let bytes = try pack("seq -f 'recording-%g.wav' 500 | \(program) >packed")
        for place in stride(from: 0, to: bytes.count, by: 23) {
            var damaged = bytes
            damaged[place] ^= 0x55
            let outcome = try await items(damaged)
            // zstd can leave its check sum out.
            guard !program.contains("no-check") else { continue }
            let isWhole = outcome.items.count == 500 && outcome.items.allSatisfy { $0.fault == nil }
            let isNoticed = outcome.error != nil || outcome.items.contains { $0.fault != nil }
            #expect(isWhole || isNoticed, "byte \(place)")
        }
    }

    @Test(arguments: programs) func manyFramesAreOneList(program: String) async throws {
        let bytes = try pack("for n in $(seq 300); do echo $n.wav | \(program) >>packed; done")
        let outcome = try await items(bytes)
        #expect(outcome.error == nil && outcome.items.map(\.id) == (1...300).map { "\($0).wav" })

        // The last frame is torn.
        let torn = try await items(Array(bytes.dropLast(4)))
        #expect(torn.error != nil, "\(torn.items.count)")
    }

    @Test(arguments: programs) func anEmptyFrameIsNoEnd(program: String) async throws {
        let bytes = try pack("(echo a | \(program); \(program) </dev/null; echo b | \(program)) >packed")
        let outcome = try await items(bytes)
        #expect(outcome.error == nil && outcome.items.map(\.id) == ["a", "b"])
    }

    /// Tapes and some tools fill a file up with zeros. Other bytes are what is left of something.
    @Test(arguments: programs) func bytesBehindTheEndAreNotTakenForItems(program: String) async throws {
        let bytes = try pack("(echo a; echo b) | \(program) >packed")
        for tail in [Array(repeating: UInt8(0), count: 512), Array("c.wav\n".utf8), [0x1F, 0x8B], [0x28]] {
            let outcome = try await items(bytes + tail)
            let isWhole = outcome.items.prefix(2).map(\.id) == ["a", "b"]
            #expect(isWhole || outcome.error != nil, "\(tail.prefix(3))")
            #expect(!outcome.items.dropFirst(2).contains { $0.fault == nil }, "\(outcome.items.map(\.id))")
        }
    }

    @Test func aFrameToSkipIsSkipped() async throws {
        let bytes = try pack("echo a | zstd -qc >packed")
        let skipped: [UInt8] = [0x50, 0x2A, 0x4D, 0x18, 4, 0, 0, 0, 1, 2, 3, 4]
        let outcome = try await items(bytes + skipped + bytes)
        // The second “a” came before.
        #expect(outcome.error == nil && outcome.items.map(\.id) == ["a", "a#2"])
    }

    @Test(arguments: ["xz -c", "bzip2 -c"]) func anotherCompressionSaysWhatToDo(program: String) async throws {
        let outcome = try await items(try pack("seq 1000 | \(program) >packed"))
        #expect(!outcome.items.contains { $0.fault == nil })
        let error = try #require(outcome.error)
        #expect(error.message.contains("compress") && error.recovery?.contains("zstd") == true, "\(error)")
    }

    /// An archive is no list, and its headers are no paths.
    @Test func anArchiveIsNoList() async throws {
        let outcome = try await items(try pack("echo a.wav >list; tar -czf packed list"))
        #expect(outcome.error != nil || outcome.items.contains { $0.fault != nil })
    }

    @Test func aSmallFileWithAHugeLineDoesNotFillTheMemory() async throws {
        let bytes = try pack("(head -c 60000000 /dev/zero; echo; echo b.wav) | zstd -qc >packed")
        let outcome = try await items(bytes)
        #expect(outcome.error == nil && outcome.items.map(\.id) == ["#1", "b.wav"])
    }
}

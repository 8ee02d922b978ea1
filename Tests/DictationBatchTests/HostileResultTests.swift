import DictationBatch
import DictationCore
import DictationTesting
import DictationText
import Foundation
import TestSupport
import Testing

/// Folders of results in which somebody else wrote, and names and times that nobody expects.
struct HostileResultTests {
    private static let lines = (0..<8).map { #"{"audio_filepath": "\#($0).wav", "duration": 2, "text": "one"}"# }

    /// Opens the files and joins them: whatever they have, that ends with a result or with an error.
    private func read(_ work: ScriptedWork) async throws -> BatchReport? {
        let settings = BatchSettings(
            engine: "scripted", model: "counter", modelHash: "0af1", manifest: work.manifest)
        do throws(DictationError) {
            _ = try ResultFile(folder: work.results, shard: try BatchShard(0, of: 1), settings: settings, resumes: true)
            return try await BatchMerge(folder: work.results, groupKey: "speaker").run().report
        } catch {
            #expect(!error.message.isEmpty && error.recovery != nil, "\(error)")
            return nil
        }
    }

    @Test func noNumberInAFileOfResultsIsACrash() async throws {
        let work = try ScriptedWork(Self.lines)
        try await work.run(BatchShard(0, of: 1))
        let path = work.results + "/results-0-of-1.jsonl"
        let whole = try String(contentsOf: URL(filePath: path), encoding: .utf8)
        let lines = whole.split(separator: "\n")
        let numbers = [
            "1e400", "-1e300", "1e300", "9223372036854775807", "-9223372036854775808", "9223372036854775808", "1e18",
            "-0",
            "-1", "null", "true", "\"x\"", "[]",
        ]
        for match in lines[1].matches(of: /: ?(-?[0-9][0-9.e+-]*)/) {
            for number in numbers {
                let range = match.output.1.startIndex..<match.output.1.endIndex
                let changed = lines[1].replacingCharacters(in: range, with: number)
                let text = ([String(lines[0]), changed] + lines.dropFirst(2).map(String.init)).map { $0 + "\n" }
                    .joined()
                try Data(text.utf8).write(to: URL(filePath: path))
                let report = try await read(work)
                #expect(report == nil || report?.total.items == 8, "\(changed)")
                if let report { #expect(!report.total.line.isEmpty) }
            }
        }
    }

    @Test(arguments: RandomRuns.seeds(300)) func aDamagedFileOfResultsIsNoCrash(seed: UInt64) async throws {
        let work = try ScriptedWork(Self.lines)
        try await work.run(BatchShard(0, of: 1))
        let path = work.results + "/results-0-of-1.jsonl"
        let whole = [UInt8](try Data(contentsOf: URL(filePath: path)))
        var random = SplitMix64(seed: seed)
        for _ in 0..<10 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes.remove(at: place)
                case 1: bytes[place] = UInt8.random(in: .min ... .max, using: &random)
                case 2: bytes.insert(Array("\n\"{}[]9-e\\\0".utf8).randomElement(using: &random) ?? 0, at: place)
                default: bytes.removeSubrange(place..<min(bytes.count, place + 300))
                }
            }
            try Data(bytes).write(to: URL(filePath: path))
            _ = try await read(work)
        }
    }

    /// The clock of a machine may be wrong, and may be set during a batch.
    @Test func noTimeOfAResultIsACrash() async throws {
        let work = try ScriptedWork(Self.lines)
        let times: [Int64] = [1_700_000_000, .min, .max, 0, -5, 1_700_000_060, .min + 1, 1_600_000_000]
        for time in times { try await work.run(BatchShard(0, of: 1), first: 1, at: time) }
        let merged = try await BatchMerge(folder: work.results).run()
        #expect(merged.report.total.items == 8 && merged.report.minutes.values.map(\.done).reduce(0, +) == 8)
        let undisturbed = try ScriptedWork(Self.lines)
        try await undisturbed.run(BatchShard(0, of: 1))
        _ = try await BatchMerge(folder: undisturbed.results).run()
        #expect(try work.text("results.jsonl") == undisturbed.text("results.jsonl"))
        #expect(try work.text("report.html").contains("<svg"))
    }

    @Test func namesThatLookEqualKeepTheirOwnResults() async throws {
        let long = String(repeating: "x", count: 100_000)
        let names = [
            "\u{E9}", "e\u{301}", "\u{212B}", "\u{C5}", "A\u{30A}", long, long + "y", "a\u{0}b", "a\u{0}c",
            "line\nbreak",
            "line\r\nbreak", "\u{2028}", "</td><script>alert(1)</script>", "\u{202E}gpj", "\"", "\\", "#2",
        ]
        let lines = try names.enumerated().map { index, name in
            let id = String(decoding: try JSONEncoder().encode(name), as: UTF8.self)
            return "{\"audio_filepath\": \"\(index % 4 == 3 ? "missing" : "r").wav\", \"id\": \(id), \"n\": \(index)}"
        }
        let whole = try ScriptedWork(lines)
        try await whole.run(BatchShard(0, of: 1))
        let merged = try await BatchMerge(folder: whole.results).run()
        #expect(merged.report.total.items == names.count && merged.report.total.failed == 4)
        #expect(merged.leftOver == 0 && merged.changed == 0)

        let parts = try ScriptedWork(lines)
        for index in 0..<3 { try await parts.run(BatchShard(index, of: 3), first: 2) }
        for index in 0..<3 { try await parts.run(BatchShard(index, of: 3)) }
        _ = try await BatchMerge(folder: parts.results).run()
        #expect(try parts.text("results.jsonl") == whole.text("results.jsonl"))
        for (index, line) in try whole.text("results.jsonl").split(separator: "\n").enumerated() {
            let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            #expect(object["n"] as? Int == index)
            #expect(object["status"] as? String == (index % 4 == 3 ? "failed" : "done"))
        }
    }

    @Test(arguments: [
        "notes.txt", "results.jsonl", "results-0-of-1.jsonl.bak", "results-old.jsonl", ".results-0-of-1.jsonl.swp",
        "results--1-of-1.jsonl", "results-0-of-0.jsonl", "results-99999999999999999999-of-1.jsonl", "report.json",
        "results-0-of--1.jsonl", "results-a-of-b.jsonl", "joblog", "core",
        "results-1-of-1.jsonl", "results-7-of-3.jsonl",
    ])
    func aForeignFileDoesNotDisturb(name: String) async throws {
        let work = try ScriptedWork(Self.lines)
        try await work.run(BatchShard(0, of: 1))
        try Data([0xFF, 0x0A]).write(to: URL(filePath: work.results + "/" + name))
        #expect(try await BatchMerge(folder: work.results).run().report.total.items == 8)
    }

    /// These claim to belong to the batch, so leaving them out would lose results.
    @Test(arguments: [("results-0-of-2.jsonl", "0/2"), ("results-0-of-1000000.jsonl", "0/1000000")])
    func aShardOfAnotherDivisionIsAnError(name: String, shard: String) async throws {
        let work = try ScriptedWork(Self.lines)
        try await work.run(BatchShard(0, of: 1))
        let own = work.results + "/results-0-of-1.jsonl"
        try FileManager.default.copyItem(atPath: own, toPath: work.results + "/" + name)
        let failure = await error { _ = try await BatchMerge(folder: work.results).run() }
        #expect(failure?.code == .invalidInput)
        #expect(failure?.message.contains(shard) == true, "\(String(describing: failure))")
        #expect(!isThere(work.results + "/results.jsonl"))
    }

    /// What is not a file can't be written, and does not hold anybody up.
    @Test(arguments: ["folder", "fifo", "/dev/null", "/dev/full", "loop", "dangling/x"]) func whatIsNoFileIsAnError(
        kind: String
    ) async throws {
        let work = try ScriptedWork(Self.lines)
        try makeFolder(work.results)
        let path = work.results + "/results-0-of-1.jsonl"
        switch kind {
        case "folder": try makeFolder(path)
        case "fifo": #expect(mkfifo(path, 0o600) == 0)
        case "loop": #expect(symlink(path, path) == 0)
        default: #expect(symlink(kind, path) == 0)
        }
        let failure = await error { try await work.run(BatchShard(0, of: 1)) }
        #expect(failure != nil)
        #expect(await error { _ = try await BatchMerge(folder: work.results).run() } != nil)
    }

    /// A million shards that are missing are not named one by one.
    @Test func aMessageAboutManyShardsIsShort() async throws {
        let work = try ScriptedWork(Self.lines)
        try await work.run(BatchShard(999_999, of: 1_000_000))
        let failure = await error { _ = try await BatchMerge(folder: work.results).run() }
        #expect(failure?.code == .batchIncomplete)
        #expect("\(failure!)".utf8.count < 1_000, "\(failure!)")
    }

    @Test(arguments: [
        (#""speaker": "a""#, "a"), (#""speaker": 7"#, "7"), (#""speaker": true"#, "true"), (#""speaker": """#, ""),
        (#""speaker": "\n\u0000""#, "\n\u{0}"),
    ])
    func aGroupIsTheTextOfAValue(member: String, name: String) async throws {
        let work = try ScriptedWork([#"{"audio_filepath": "a", \#(member)}"#, #"{"audio_filepath": "b"}"#, "c", "{"])
        try await work.run(BatchShard(0, of: 1))
        let report = try await BatchMerge(folder: work.results, groupKey: "speaker").run().report
        #expect(report.groups[name]?.items == 1, "\(report.groups)")
        #expect(report.total.items == 4)
    }

    @Test(arguments: ["{}", "[1]", "null", #"{"deep": [{}]}"#]) func aGroupThatIsNoTextIsNoCrash(value: String)
        async throws
    {
        let work = try ScriptedWork([#"{"audio_filepath": "a", "speaker": \#(value)}"#, "b"])
        try await work.run(BatchShard(0, of: 1))
        let report = try await BatchMerge(folder: work.results, groupKey: "speaker").run().report
        #expect(report.total.items == 2 && report.groups.values.map(\.items).reduce(0, +) <= 2)
        #expect(try await BatchMerge(folder: work.results, groupKey: "").run().report.total.items == 2)
    }
}

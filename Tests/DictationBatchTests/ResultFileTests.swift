import DictationBatch
import DictationCore
import Foundation
import TestSupport
import Testing

/// The result of an item, with a text.
private func record(_ id: String, error: String? = nil) -> BatchRecord {
    let item = BatchItem(path: id)
    let segments = [SpeechResult(range: .zero..<(.seconds(2)), text: "text “of” \(id)\n")]
    let transcript = Transcript(
        segments: segments, duration: .seconds(2), error: error.map { DictationError(.engineFailed, $0) })
    return BatchRecord(
        BatchResult(item: item, transcript: transcript, workTime: .milliseconds(100)), settings: settings, time: 1_000)
}

private let settings = BatchSettings(engine: "scripted", manifest: "list", options: ["--words": "on"])

struct ResultFileTests {
    private let folder: TemporaryFolder
    private let shard: BatchShard

    init() throws {
        folder = try TemporaryFolder()
        shard = try BatchShard(1, of: 3)
    }

    private func open(
        _ settings: BatchSettings = settings, resumes: Bool = true, retriesFailed: Bool = false,
        shard: BatchShard? = nil
    ) throws -> ResultFile {
        try ResultFile(
            folder: folder.path, shard: shard ?? self.shard, settings: settings, resumes: resumes,
            retriesFailed: retriesFailed)
    }

    private var path: String { folder.file("results-1-of-3.jsonl") }

    @Test func resultsAreKept() throws {
        do {
            let file = try open(resumes: false)
            try file.append(record("a"))
            try file.append(record("b", error: "It broke."))
            try file.sync()
        }
        let finished = try open().finished
        #expect(finished.count == 2 && finished.failed == 1 && finished.duration == .seconds(4))
        #expect(finished.contains("a") && finished.contains("b") && !finished.contains("c"))
    }

    /// A batch would replace it, and it may be somebody's work.
    @Test(arguments: ["results.jsonl", "supervisions.jsonl", "report.json", "report.html", "manifest"])
    func aFolderWithOtherFilesIsRefused(name: String) throws {
        let path = try folder.write(Array("mine".utf8), to: name)
        for resumes in [false, true] {
            let found = #expect(throws: DictationError.self) { try open(resumes: resumes) }
            #expect(found?.message.contains(name) == true)
        }
        #expect(try Data(contentsOf: URL(filePath: path)) == Data("mine".utf8))
        try FileManager.default.removeItem(atPath: path)
        do { _ = try open() }
        // What the batch itself wrote is no obstacle.
        _ = try folder.write([], to: name)
        _ = try open()
    }

    @Test func anotherTryReplacesAFailure() throws {
        do {
            let file = try open()
            for name in ["a", "c"] { try file.append(record(name, error: "It broke.")) }
            try file.append(record("b"))
        }
        do {
            let file = try open(retriesFailed: true)
            #expect(file.finished.count == 1 && file.finished.failed == 0)
            #expect(!file.finished.contains("a") && file.finished.contains("b"))
            for name in ["a", "c"] { try file.append(record(name, error: name == "c" ? "Again." : nil)) }
        }
        let finished = try open().finished
        #expect(finished.count == 3 && finished.failed == 1 && finished.duration == .seconds(6))
        #expect(finished.contains("a") && finished.contains("c"))
    }

    @Test func aTornEndIsCutOffWhereverItIs() throws {
        do {
            let file = try open()
            for name in ["a", "b", "ç"] { try file.append(record(name)) }
        }
        let whole = [UInt8](try Data(contentsOf: URL(filePath: path)))
        let ends = whole.indices.filter { whole[$0] == 0x0A }.map { $0 + 1 }
        for length in 0...whole.count {
            try Data(whole[..<length]).write(to: URL(filePath: path))
            let missing = ["a", "b", "ç"].dropFirst(max(0, ends.count { $0 <= length } - 1))
            do {
                let file = try open()
                #expect(file.finished.count == 3 - missing.count, "\(length)")
                for name in missing {
                    #expect(!file.finished.contains(name))
                    try file.append(record(name))
                }
            }
            #expect([UInt8](try Data(contentsOf: URL(filePath: path))) == whole, "\(length)")
        }
    }

    @Test func linesThatAPowerFailureEmptiedAreCutOff() throws {
        do { try open().append(record("a")) }
        let whole = try Data(contentsOf: URL(filePath: path))
        try (whole + Data(count: 5_000) + Data([0x0A]) + Data(count: 700)).write(to: URL(filePath: path))
        do { #expect(try open().finished.count == 1) }
        #expect(try Data(contentsOf: URL(filePath: path)) == whole)
    }

    @Test func aWrongLineBeforeAGoodOneIsAnError() throws {
        do {
            let file = try open()
            for name in ["a", "b"] { try file.append(record(name)) }
        }
        let text = try String(contentsOf: URL(filePath: path), encoding: .utf8).replacing(
            #"{"id": "a""#, with: "damage")
        try Data(text.utf8).write(to: URL(filePath: path))
        let error = #expect(throws: DictationError.self) { try open() }
        #expect(error?.message.contains("Line 2 of") == true)
        #expect(try String(contentsOf: URL(filePath: path), encoding: .utf8) == text)
    }

    /// Another version may write other lines. They are somebody's work.
    @Test(arguments: [
        #"{"version": 7, "results": {}}"# + "\n" + #"{"name": "a"}"# + "\n", "a.wav\tgo forward\nb.wav\tten\n", "\n\n",
    ])
    func aFileOfAnotherVersionIsLeftAlone(text: String) throws {
        try Data(text.utf8).write(to: URL(filePath: path))
        let error = #expect(throws: DictationError.self) { try open() }
        #expect(error?.message.contains("has no results of this version") == true)
        #expect(try String(contentsOf: URL(filePath: path), encoding: .utf8) == text)
    }

    @Test func aLineThatIsNoRecordIsLeftAlone() throws {
        do { try open().append(record("a")) }
        let text = try String(contentsOf: URL(filePath: path), encoding: .utf8) + #"{"id": "b", "new": 1}"# + "\n"
        try Data(text.utf8).write(to: URL(filePath: path))
        #expect(throws: DictationError.self) { try open() }
        #expect(try String(contentsOf: URL(filePath: path), encoding: .utf8) == text)
    }

    @Test func resultsAreNeverReplacedByAccident() throws {
        do { try open().append(record("a")) }
        let error = #expect(throws: DictationError.self) { try open(resumes: false) }
        #expect(error?.code == .invalidInput && error?.recovery?.contains("Go on with these results") == true)
    }

    @Test func aChangedSettingIsAnErrorThatSaysWhatChanged() throws {
        do { try open().append(record("a")) }
        var other = settings
        other.locale = "de-DE"
        other.modelHash = "abc"
        other.options = ["--priority": "speed"]
        let error = #expect(throws: DictationError.self) { try open(other) }
        for part in [
            "The locale was “en-US” and is “de-DE”.", "The model's hash was not set and is “abc”.",
            "--words was “on” and is not set.", "--priority was not set and is “speed”.",
        ] { #expect(error?.message.contains(part) == true, "\(part)") }
        #expect(try open().finished.count == 1)
    }

    @Test func oneProcessWorksOnAShard() throws {
        let file = try open()
        let error = #expect(throws: DictationError.self) { try open() }
        #expect(error?.code == .alreadyRunning)
        #expect(try open(shard: BatchShard(2, of: 3)).finished.count == 0)
        try file.append(record("a"))
    }

    @Test func anotherNumberOfShardsIsAnError() throws {
        do { try open().append(record("a")) }
        let error = #expect(throws: DictationError.self) { try open(shard: try BatchShard(0, of: 4)) }
        #expect(error?.message.contains("3") == true)
    }
}

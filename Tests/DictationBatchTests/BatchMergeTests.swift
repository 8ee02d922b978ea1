import DictationCore
import DictationText
import Foundation
import TestSupport
import Testing

@testable import DictationBatch

struct BatchMergeTests {
    private static let lines = (0..<40).map { index in
        index % 10 == 3
            ? #"{"audio_filepath": "missing-\#(index).wav", "speaker": "b"}"#
            : #"{"audio_filepath": "\#(index).wav", "duration": 2, "text": "one\#(index % 4 == 0 ? "" : " two")", "speaker": "\#(index % 2 == 0 ? "a" : "b")", "précis": 1.50e+0}"#
    }

    @Test func shardsAndKillsDoNotChangeTheResult() async throws {
        let whole = try ScriptedWork(Self.lines)
        try await whole.run(BatchShard(0, of: 1))
        _ = try await BatchMerge(folder: whole.results).run()

        let parts = try ScriptedWork(Self.lines)
        for round in [2, 1, .max] { for index in 0..<5 { try await parts.run(BatchShard(index, of: 5), first: round) } }
        _ = try await BatchMerge(folder: parts.results).run()
        #expect(try parts.text("results.jsonl") == whole.text("results.jsonl"))
        #expect(try whole.text("results.jsonl").split(separator: "\n").count == 40)
    }

    @Test func aMergeLeavesTheDraftOfAnotherAlone() throws {
        let folder = try TemporaryFolder()
        let first = try MergedFile(in: folder.path)
        try first.write("one\n")
        try MergedFile(in: folder.path).commit("two\n", as: "second")
        try first.commit(as: "first")
        #expect(try String(contentsOfFile: folder.file("first"), encoding: .utf8) == "one\n")
    }

    @Test func aLineOfNeMoKeepsWhatItHad() async throws {
        let work = try ScriptedWork([
            #"{"audio_filepath": "a.wav", "x": {"deep": [1, "}"]}, "big": 12345678901234567890.12, "pred_text": "old", "é": "\u00e9"}"#
        ])
        try await work.run(BatchShard(0, of: 1))
        _ = try await BatchMerge(folder: work.results).run()
        #expect(
            try work.text("results.jsonl") == #"""
                {"audio_filepath": "a.wav", "x": {"deep": [1, "}"]}, "big": 12345678901234567890.12, "é": "\u00e9", "pred_text": "one two", "words": [{"confidence":0.5,"end":0.5,"start":0,"word":"one"},{"confidence":1,"end":1,"start":0.5,"word":"two"}], "engine": "scripted", "model": "counter", "model_hash": "0af1", "status": "done"}

                """#)
    }

    @Test func everyBadLineHasAResult() async throws {
        let work = try ScriptedWork([
            "{", "missing.wav", "a.wav", "a.wav", #"{"audio_filepath": "b.wav", "offset": "x", "k": 1}"#,
        ])
        try await work.run(BatchShard(0, of: 1))
        let merged = try await BatchMerge(folder: work.results).run()
        let lines = try work.text("results.jsonl").split(separator: "\n")
        let objects = try lines.map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
        #expect(objects.map { $0["status"] as? String } == ["failed", "failed", "done", "failed", "failed"])
        #expect(
            objects.map { $0["error_code"] as? String } == [
                "invalidInput", "fileUnreadable", nil, "invalidInput", "invalidInput",
            ])
        #expect(objects[4]["k"] as? Int == 1)
        #expect(merged.report.total.items == 5 && merged.report.total.failed == 4)
        #expect(merged.report.failures.map(\.id) == ["#1", "missing.wav", "a.wav#4", "#5"])
    }

    @Test func cutsBecomeSupervisions() async throws {
        let work = try ScriptedWork([
            #"{"id": "c1", "start": 3.5, "duration": 2, "channel": 0, "recording": {"id": "r", "sources": [{"type": "file", "channels": [0], "source": "/x.wav"}], "sampling_rate": 16000, "num_samples": 1, "duration": 9}, "type": "MonoCut"}"#
        ])
        try await work.run(BatchShard(0, of: 1))
        let merged = try await BatchMerge(folder: work.results).run()
        #expect(merged.path.hasSuffix("/supervisions.jsonl"))
        #expect(
            try work.text("supervisions.jsonl") == #"""
                {"id": "c1", "recording_id": "r", "start": 3.5, "duration": 2, "channel": 0, "text": "one two", "language": "en-US", "alignment": {"word":[["one",3.5,0.5,0.5],["two",4,0.5,1]]}, "custom": {"engine":"scripted","model":"counter","model_hash":"0af1","status":"done"}}

                """#)
    }

    /// Every line of the joined file is JSON, whatever the manifest has.
    @Test func wrongLinesMakeNoWrongLines() async throws {
        let work = try ScriptedWork([
            #"{"audio_filepath": "a", "x": NaN}"#, #"{"audio_filepath": "a", "x": [1}]}"#, "a\u{0}b", "\u{1B}[2J.wav",
            #"{"audio_filepath": "line\nbreak\u2028.wav", "id": "line\nbreak"}"#, #"{"audio_filepath": "é", "x": tru}"#,
            #"{"audio_filepath": "nul\u0000.wav", "\u0000": "\ud83d\ude00"}"#, #"["a.wav"]"#,
        ])
        try await work.run(BatchShard(0, of: 1))
        let merged = try await BatchMerge(folder: work.results).run()
        let text = try work.text("results.jsonl")
        #expect(text.split(separator: "\n").count == 8)
        for line in text.split(separator: "\n") {
            #expect(JSONValue(json: line.utf8) != nil, "\(line)")
            #expect(line.unicodeScalars.allSatisfy { $0.value >= 0x20 })
        }
        #expect(merged.report.total.items == 8)
        #expect(try await BatchMerge(folder: work.results).run().report == merged.report)
        #expect(try work.text("results.jsonl") == text)
    }

    @Test func anItemThatChangedInTheManifestIsCounted() async throws {
        let cut =
            #", "recording": {"id": "r", "sources": [{"type": "file", "source": "/x.wav"}]}, "duration": 2, "id": "#
        for (before, after) in [
            (#"{"id": "1", "audio_filepath": "a"}"#, #"{"id": "1", "audio_filepath": "b"}"#),
            (#"{"id": "1", "audio_filepath": "a"}"#, #"{"id": "1", "audio_filepath": "a", "offset": 1}"#),
            ("{\"start\": 1\(cut)\"1\"}", "{\"start\": 2\(cut)\"1\"}"),
        ] {
            let work = try ScriptedWork([before, "same.wav"])
            try await work.run(BatchShard(0, of: 1))
            #expect(try await BatchMerge(folder: work.results).run().changed == 0)
            _ = try work.folder.write(Array("\(after)\nsame.wav\n".utf8), to: "manifest.jsonl")
            let merged = try await BatchMerge(folder: work.results).run()
            #expect(merged.changed == 1 && merged.leftOver == 0)
        }
    }

    @Test func itemsWithoutAResultAreNamed() async throws {
        let work = try ScriptedWork(Self.lines)
        for index in [0, 2] { try await work.run(BatchShard(index, of: 3)) }
        let failure = await error { _ = try await BatchMerge(folder: work.results).run() }
        #expect(failure?.code == .batchIncomplete && failure?.recovery?.contains("1/3") == true)
        #expect(!isThere(work.results + "/results.jsonl"))
        #expect(names(in: work.results).allSatisfy { $0.hasPrefix("results-") })
        try await work.run(BatchShard(1, of: 3))
        #expect(try await BatchMerge(folder: work.results).run().report.total.items == 40)
    }

    @Test func anItemWithTwoResultsIsAnError() async throws {
        let work = try ScriptedWork(["a.wav"])
        try await work.run(BatchShard(0, of: 1))
        let text = try work.text("results-0-of-1.jsonl")
        let line = text.split(separator: "\n")[1]
        try Data((text + line + "\n").utf8).write(to: URL(filePath: work.results + "/results-0-of-1.jsonl"))
        let failure = await error { _ = try await BatchMerge(folder: work.results).run() }
        #expect(failure?.message.contains("“a.wav” has two results") == true)
    }

    @Test func shardsWithOtherSettingsDoNotBelongTogether() async throws {
        let work = try ScriptedWork(Self.lines)
        try await work.run(BatchShard(0, of: 2))
        try await work.run(BatchShard(1, of: 2)) { $0.modelHash = "other" }
        let failure = await error { _ = try await BatchMerge(folder: work.results).run() }
        #expect(failure?.message.contains("The model's hash was “0af1” and is “other”.") == true)
    }

    @Test func theReportCountsHoursFailuresAndWordErrorsByGroup() async throws {
        let work = try ScriptedWork(Self.lines)
        try await work.run(BatchShard(0, of: 1))
        let report = try await BatchMerge(folder: work.results, groupKey: "speaker").run().report
        #expect(report.total.items == 40 && report.total.failed == 4)
        #expect(abs(report.total.hours - 36 * 2 / 3_600.0) < 1e-9)
        // Each fourth reference has one word, and the text always two.
        #expect(report.total.wordErrors == WordErrorCount(errors: 10, words: 62))
        #expect(report.groups["a"]?.items == 20 && report.groups["b"]?.items == 20)
        #expect(report.groups["b"]?.failed == 4 && report.groups["b"]?.wordErrors?.errors == 0)
        #expect(report.confidences.counts[15] == 36)
    }

    @Test func aFolderWithoutResultsIsAnError() async throws {
        let folder = try TemporaryFolder()
        #expect(await error { _ = try await BatchMerge(folder: folder.path).run() }?.code == .invalidInput)
        #expect(await error { _ = try await BatchMerge(folder: folder.file("none")).run() }?.code == .fileUnreadable)
    }
}

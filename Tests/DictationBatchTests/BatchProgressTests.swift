import DictationBatch
import DictationCore
import Foundation
import TestSupport
import Testing

struct BatchProgressTests {
    private func progress(_ count: Int, failed: Int, after seconds: Int) -> BatchProgress {
        var progress = BatchProgress()
        for index in 0..<count {
            let error = index < failed ? DictationError(.engineFailed, "It broke.") : nil
            progress.add(
                BatchResult(
                    item: BatchItem(path: "a"), transcript: Transcript(duration: .seconds(90), error: error),
                    workTime: .seconds(1)))
        }
        progress.elapsed = .seconds(seconds)
        return progress
    }

    @Test func aPersonReadsALine() {
        var half = progress(40, failed: 2, after: 100)
        #expect(half.line == "40 done, 1.0 h, 36× real time, 2 failed")
        half.total = 80
        #expect(half.line == "40 of 80 done, 1.0 h, 36× real time, 0:01:40 left, 2 failed")
        #expect(half.fraction == 0.5 && BatchProgress().fraction == nil)
        half.totalDuration = .seconds(3 * 3_600)
        #expect(half.line == "40 of 80 done, 1.0 h, 36× real time, 0:03:20 left, 2 failed")
        #expect(BatchProgress().line == "0 done, 0.0 h")
    }

    @Test func noDeclaredLengthIsTooLong() {
        var progress = progress(1, failed: 0, after: 1_000_000_000)
        progress.total = .max
        progress.totalDuration = .seconds(Int64.max)
        #expect(progress.timeLeft == nil)
        #expect(progress.line.hasPrefix("1 of 9223372036854775807 done"))
    }

    @Test func aProgramReadsJSON() throws {
        let object =
            try JSONSerialization.jsonObject(with: Data(progress(4, failed: 1, after: 10).json.utf8)) as? [String: Any]
        #expect(object?["done"] as? Int == 4 && object?["failed"] as? Int == 1 && object?["hours"] as? Double == 0.1)
        #expect(object?["speed"] as? Double == 36)
    }

    /// A wrong path is easily given, such as that of a recording.
    @Test func noOtherFileIsReplaced() throws {
        let folder = try TemporaryFolder()
        let shard = try BatchShard(0, of: 1)
        let recording = try folder.write(Array("RIFF of a recording".utf8), to: "talk.wav")
        #expect(throws: DictationError.self) {
            try progress(1, failed: 0, after: 1).write(prometheus: recording, shard: shard)
        }
        #expect(try Data(contentsOf: URL(filePath: recording)) == Data("RIFF of a recording".utf8))
        // A link stays, and its file is written.
        let target = try folder.write([], to: "real.prom"), link = folder.file("link.prom")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
        for _ in 0..<2 { try progress(1, failed: 0, after: 1).write(prometheus: link, shard: shard) }
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == target)
        #expect(try String(contentsOfFile: target, encoding: .utf8).hasPrefix("# HELP"))
    }

    @Test func prometheusReadsAFile() throws {
        let folder = try TemporaryFolder()
        var half = progress(4, failed: 1, after: 10)
        half.total = 8
        try half.write(prometheus: folder.file("new/batch.prom"), shard: BatchShard(2, of: 8))
        let text = String(decoding: try Data(contentsOf: URL(filePath: folder.file("new/batch.prom"))), as: UTF8.self)
        // The rules of the format: each metric has its help and type first, and each line ends.
        var declared: Set<Substring> = []
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            if line.hasPrefix("# TYPE ") {
                declared.insert(words[2])
            } else if !line.hasPrefix("#") {
                #expect(declared.contains(line.prefix { $0 != "{" }), "\(line)")
                #expect(words.count == 2 && Double(words[1]) != nil, "\(line)")
            }
        }
        #expect(text.contains("dictation_batch_items_total{shard=\"2/8\",status=\"done\"} 3.0\n"))
        #expect(text.contains("dictation_batch_items{shard=\"2/8\"} 8.0\n"))
        #expect(names(in: folder.file("new")) == ["batch.prom"])
    }
}

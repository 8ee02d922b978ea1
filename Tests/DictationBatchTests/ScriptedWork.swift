import DictationBatch
import DictationCapture
import DictationCore
import DictationEngines
import Foundation
import TestSupport

/// A batch in a folder, whose recordings are scripted.
struct ScriptedWork {
    let folder: TemporaryFolder
    let manifest: String

    init(_ lines: [String]) throws {
        folder = try TemporaryFolder()
        manifest = try folder.write(Array(lines.map { $0 + "\n" }.joined().utf8), to: "manifest.jsonl")
    }

    var results: String { folder.file("results") }

    /// Does a shard, or its first items only.
    func run(
        _ shard: BatchShard, first count: Int = .max, at time: Int64 = 1_700_000_000,
        settings change: (inout BatchSettings) -> Void = { _ in }
    ) async throws {
        var settings = BatchSettings(engine: "scripted", model: "counter", modelHash: "0af1", manifest: manifest)
        change(&settings)
        let file = try ResultFile(folder: results, shard: shard, settings: settings, resumes: true)
        let finished = file.finished
        let items = BatchManifest(path: manifest).filter { shard.contains($0.id) && !finished.contains($0.id) }
        var options = RecognitionOptions.timedTranscription()
        options.wordConfidence = true
        let batch = BatchTranscription(
            engine: ScriptedEngine([
                .final(
                    "one two", at: .seconds(1),
                    words: [
                        .init("one", range: .zero ..< .milliseconds(500), confidence: 0.5),
                        .init("two", range: .milliseconds(500) ..< .seconds(1), confidence: 1),
                    ])
            ]), options: options, workers: 2, converters: BasicConverter.Provider()
        ) { item throws(DictationError) in
            if item.path.contains("missing") { throw DictationError(.fileUnreadable, "There is no “missing”.") }
            return ScriptedCapturer([.tone(440, for: .seconds(2))], pacing: .onDemand)
        }
        var done = 0
        for try await result in batch.results(of: items) {
            try file.append(BatchRecord(result, settings: settings, time: time))
            done += 1
            if done == count { return }
        }
    }

    func text(_ name: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(filePath: results + "/" + name)), as: UTF8.self)
    }
}

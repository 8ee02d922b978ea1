import DictationBatch
import DictationCapture
import DictationCore
import DictationEngines

/// Items of a scripted batch: the path tells what the recording is.
func items(_ paths: [String]) -> [BatchItem] {
    paths.enumerated().map { BatchItem(path: $1, id: "\($0) \($1)") }
}

/// A batch of recordings that last as long as their path says, with an engine that counts.
func batch(_ engine: any SpeechEngine = ScriptedEngine(), workers: Int = 1) -> BatchTranscription {
    BatchTranscription(engine: engine, workers: workers, converters: BasicConverter.Provider()) {
        item throws(DictationError) in
        switch item.path {
        case "missing":
            throw DictationError(.fileUnreadable, "“missing” does not exist.")
        case "damaged":
            return ScriptedCapturer(
                [.tone(440, for: .seconds(2)), .fail(DictationError(.fileUnreadable, "The file is damaged."))],
                pacing: .onDemand)
        case "torn", "late":
            let cause: AudioGap.Cause = item.path == "torn" ? .damaged : .engineBehind
            return ScriptedCapturer(
                [
                    .tone(440, for: .seconds(4)), .gap(for: .seconds(2), cause: cause), .tone(440, for: .seconds(4)),
                    .end,
                ], pacing: .onDemand)
        case "empty": return ScriptedCapturer([.end], pacing: .onDemand)
        case "endless": return ScriptedCapturer([.tone(440, for: .seconds(4)), .nothing(for: .seconds(90_000))])
        case "unending": return ScriptedCapturer([.tone(440, for: .seconds(1_000))], pacing: .onDemand)
        default:
            return ScriptedCapturer([.tone(440, for: .seconds(Int(item.path) ?? 4)), .end], pacing: .live)
        }
    }
}

/// Returns the results of all items, in the order in which they were done.
func results(_ batch: BatchTranscription, _ items: [BatchItem]) async throws -> [BatchResult] {
    var results: [BatchResult] = []
    for try await result in batch.results(of: items) { results.append(result) }
    return results
}

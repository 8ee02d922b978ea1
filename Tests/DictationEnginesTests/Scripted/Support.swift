import DictationCore
import DictationEngines
import DictationTesting
import FoundationEssentials
import Testing

/// Silence, cut into buffers of so many milliseconds.
func silence(_ length: Duration, cutInto piece: Duration = .milliseconds(100), from start: Duration = .zero)
    -> [AudioBuffer]
{
    let format = AudioFormat.speech
    let total = Int(format.frames(in: length))
    let step = max(1, Int(format.frames(in: piece)))
    return stride(from: 0, to: total, by: step).map { frame in
        AudioBuffer(
            silence: min(step, total - frame), format: format,
            start: start + format.duration(ofFrames: Int64(frame)))
    }
}

extension RecognitionOptions {
    /// Live dictation with time enough on a machine that is busy with something else.
    static let patient = RecognitionOptions(volatileResults: true, finalizationTimeout: .seconds(600))
}

extension SpeechEngine {
    /// Feeds buffers to a new session and gives all its results and how it completed.
    func results(
        of buffers: [AudioBuffer], _ options: RecognitionOptions = .patient
    ) async throws -> (results: [SpeechUpdate], completion: FinalizationOutcome) {
        let session = try await makeSession(options)
        let collected = DictationRuntime.current.task { () -> [SpeechUpdate] in
            var results: [SpeechUpdate] = []
            do { for try await update in session.results { results.append(update) } } catch {}
            return results
        }
        try session.start(AudioInput(buffers))
        let completion = try await session.finish()
        return (await collected.value, completion)
    }
}

extension [SpeechUpdate] {
    /// The final texts, one after the other.
    var finalText: String { finals.map(\.text).joined(separator: " ") }
}

extension AudioInput {
    /// Makes an input from buffers that waits before the one at a time.
    init(_ buffers: [AudioBuffer], waitingAt time: Duration, for gate: Watched<Bool>) {
        self.init {
            var left = buffers[...]
            return { () throws(DictationError) in
                if left.first?.start == time { _ = await gate.first { $0 ? true : nil } }
                return left.popFirst()
            }
        }
    }
}

/// A new path for a file, which is removed when the closure is done.
func withTemporaryPath<Answer>(_ body: (String) async throws -> Answer) async throws -> Answer {
    let name = "dictation-\(UInt64.random(in: 0 ... .max)).jsonl"
    let path = FileManager.default.temporaryDirectory.appending(path: name).path
    defer { try? FileManager.default.removeItem(atPath: path) }
    return try await body(path)
}

/// The fenced blocks of a language in one of the package's documents.
func examples(of language: String, in article: String) throws -> [String] {
    let package = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
    let path = "Sources/DictationEngines/DictationEngines.docc/\(article).md"
    let text = try String(contentsOf: package.appending(path: path), encoding: .utf8)
    return text.split(separator: "```\(language)\n").dropFirst().compactMap { block in
        block.split(separator: "```", maxSplits: 1).first.map(String.init)
    }
}

/// The same bytes with some changed, missing or there twice.
func damaged(_ original: [UInt8], _ random: inout SplitMix64) -> [UInt8] {
    var bytes = original
    for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
        let index = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: bytes[index] = UInt8.random(in: .min ... .max, using: &random)
        case 1: bytes.remove(at: index)
        case 2: bytes.insert(bytes[Int.random(in: 0..<bytes.count, using: &random)], at: index)
        default: bytes.removeSubrange(index..<min(bytes.count, index + Int.random(in: 0...99, using: &random)))
        }
    }
    return bytes
}

/// Expects an error of a kind.
func expectError(
    _ code: DictationError.Code, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws -> some Any
) async {
    await #expect(sourceLocation: sourceLocation) {
        _ = try await body()
    } throws: {
        ($0 as? DictationError)?.code == code
    }
}

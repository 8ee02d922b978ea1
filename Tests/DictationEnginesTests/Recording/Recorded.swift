import DictationCore
import DictationEngines
import DictationTesting
import FoundationEssentials

/// A recording of five seconds of noise, and what it is made of.
enum Recorded {
    /// Noise, cut into pieces of so many frames, with a gap where one is wanted.
    static func noise(
        seconds: Int = 5, pieces: ClosedRange<Int> = 1_600...1_600, seed: UInt64 = 1, gapAt gap: Int? = nil
    ) -> [AudioBuffer] {
        var random = SplitMix64(seed: 99)
        let samples = (0..<seconds * 16_000).map { _ in Int16.random(in: .min ... .max, using: &random) }
        let whole = AudioBuffer(samples)
        var cuts = SplitMix64(seed: seed)
        var buffers: [AudioBuffer] = []
        var frame = 0
        while frame < whole.frameCount {
            var end = min(whole.frameCount, frame + Int.random(in: pieces, using: &cuts))
            if let gap, frame < gap { end = min(end, gap) }
            let piece = whole.slice(frame..<end)
            buffers.append(gap.map { frame >= $0 } ?? false ? piece.moved(to: piece.start + .seconds(10)) : piece)
            frame = end
        }
        return buffers
    }

    static let script: ScriptedEngine.Script = [
        .volatile("go", at: .seconds(1)),
        .volatile("go four", at: .milliseconds(1_500)),
        .final(
            "go forward", at: .seconds(2),
            words: [.init("go", range: .milliseconds(200)..<Duration.seconds(1), confidence: 0.25), .init("forward")],
            alternatives: [.init("go \"four\"\nword — ü 🎤", confidence: 0.2), .init("no")]),
        .volatile("ten", at: .seconds(3)),
        .revoke(at: .milliseconds(3_500)),
        .volatile("ten metres", at: .seconds(4)),
        .final("ten metres more"),
    ]

    static let options: RecognitionOptions = {
        var options = RecognitionOptions.patient
        options.wordTimes = true
        options.wordConfidence = true
        options.maximumAlternatives = 2
        return options
    }()

    /// Feeds buffers as they would come from a microphone and gives each update with the time at which it came.
    static func live(
        _ engine: any SpeechEngine, _ buffers: [AudioBuffer], _ options: RecognitionOptions, _ clock: ManualClock
    ) async throws -> [(Duration, SpeechUpdate)] {
        let session = try await engine.makeSession(options)
        let runtime = DictationRuntime.current
        let began = clock.now.offset
        try session.start(
            AudioInput {
                var left = buffers[...]
                return { () throws(DictationError) in
                    guard let next = left.first else { return nil }
                    try? await runtime.sleep(max(.zero, began + next.end - clock.now.offset))
                    return left.popFirst()
                }
            })
        var seen: [(Duration, SpeechUpdate)] = []
        for try await update in session.results { seen.append((clock.now.offset - began, update)) }
        return seen
    }

    static func recordingAndText(seconds: Int = 5) async throws -> (ReplayEngine.Recording, String) {
        try await withTemporaryPath { path in
            try await VirtualTime.run { clock in
                let recorder = try RecordingEngine(ScriptedEngine(script), to: path)
                _ = try await live(recorder, noise(seconds: seconds), options, clock)
                try await recorder.flush()
                return (
                    try ReplayEngine.Recording(contentsOfFile: path),
                    try String(contentsOf: URL(filePath: path), encoding: .utf8)
                )
            }
        }
    }

    static func recording() async throws -> ReplayEngine.Recording { try await recordingAndText().0 }
}

import DictationCore
import DictationEngines
import DictationTesting

/// Audio that is recognized again and again while helpers are killed. The final results must be those of an undisturbed
/// session.
struct KillTrial: Sendable {
    let kills: KillRun
    let samples: [Int16]
    /// Whether only the texts are compared. PocketSphinx hears a sentence again from where the final text before it
    /// ended, so the silence before the sentence may be longer.
    var comparesTexts = false

    /// Returns a line about each session with other results, then a line with the numbers.
    func run() async throws -> [String] {
        try await kills.run { engine in
            var random = SplitMix64(seed: kills.seed)
            let results = try await finals(of: engine, killer: nil, random: &random)
            guard !results.isEmpty else { throw DictationError(.engineFailed, "Nothing was recognized.") }
            return results
        } session: { engine, expected, random in
            let killer = HelperKiller(of: engine)
            let results = try await finals(of: engine, killer: killer, random: &random)
            let isSame = comparesTexts ? results.map(\.text) == expected.map(\.text) : results == expected
            return (killer.count, isSame ? [] : ["\(results), not \(expected)"])
        }
    }

    private func finals(
        of engine: HelperEngine, killer: HelperKiller?, random: inout SplitMix64
    ) async throws -> [SpeechResult] {
        var (start, buffers) = (0, [AudioBuffer]())
        while start < samples.count {
            let end = min(samples.count, start + Int.random(in: 1...3_200, using: &random))
            buffers.append(AudioBuffer(Array(samples[start..<end]), start: .seconds(Double(start) / 16_000)))
            start = end
        }
        var moments: [Int: (signal: Int32, delay: Duration)] = [:]
        for _ in 0..<6 {
            moments[Int.random(in: 0...buffers.count, using: &random)] = (
                HelperKiller.signal(using: &random), .microseconds(Int.random(in: 0...20_000, using: &random))
            )
        }
        var options = RecognitionOptions.liveDictation()
        options.finalizationTimeout = .seconds(900)
        let session = try await engine.makeSession(options)
        try session.start(
            AudioInput { [buffers, moments] in
                var next = 0
                return {
                    if let killer, let (signal, delay) = moments[next] {
                        Task {
                            try? await Task.sleep(for: delay)
                            killer.strike(with: signal)
                        }
                    }
                    // About as long as a kill may be delayed.
                    if killer != nil { try? await Task.sleep(for: .microseconds(200)) }
                    defer { next += 1 }
                    return next < buffers.count ? buffers[next] : nil
                }
            })
        var results: [SpeechResult] = []
        for try await update in session.results {
            if case .interrupted(let interruption) = update, interruption.lost != nil {
                throw DictationError(.engineFailed, "Audio was left out: \(interruption)")
            }
            guard let result = update.finalResult else { continue }
            results.append(result)
            killer?.noteFinal()
        }
        guard try await session.finish() == .complete else {
            throw DictationError(.timedOut, "The session did not end in time.")
        }
        return results
    }
}

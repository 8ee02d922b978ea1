import DictationCapture
import DictationCore
import DictationEngines
import DictationTesting

/// Dictation sessions with a live microphone, random calls, and helpers that are killed. Each take must have the text that
/// the same audio has without a helper, and no gap.
struct TakeKillTrial: Sendable {
    let kills: KillRun

    static let script: ScriptedEngine.Script = [
        .volatile("one", at: .milliseconds(50)), .volatile("one two", at: .milliseconds(150)),
        .final("one two three", at: .milliseconds(200)), .repeats(every: .milliseconds(200)),
    ]

    /// Returns a line about each take with another text, then a line with the numbers.
    func run() async throws -> [String] {
        try await kills.run { _ in
        } session: { engine, _, random in
            let killer = HelperKiller(of: engine)
            let takes = await takes(of: engine, killer, &random)
            var problems: [String] = []
            for take in takes {
                let transcript = take.transcript
                guard transcript.isComplete, transcript.error == nil, transcript.gaps.isEmpty else {
                    problems.append("a take is not complete: \(transcript)")
                    continue
                }
                let ends = [.zero] + transcript.segments.map(\.range.upperBound)
                for (end, segment) in zip(ends, transcript.segments) where segment.range.lowerBound < end {
                    problems.append("finals overlap at \(end)")
                }
                // A pause ends a sentence wherever it is, and the script does not know how to go on after it.
                guard !take.wasPaused else { continue }
                let expected = try await Self.segments(of: transcript.duration)
                guard transcript.segments != expected else { continue }
                problems.append("after \(transcript.duration): \(transcript.segments), not \(expected)")
            }
            return (killer.count, problems)
        }
    }

    private struct Take: Sendable {
        let transcript: Transcript
        let wasPaused: Bool
    }

    /// Makes random calls, and returns the takes that were not cancelled.
    private func takes(
        of engine: HelperEngine, _ killer: HelperKiller, _ random: inout SplitMix64
    ) async -> [Take] {
        var configuration = DictationSession.Configuration()
        // A machine that is busy with many helpers may be late, but loses nothing.
        configuration.backlog = .seconds(900)
        configuration.warmUpTimeout = .seconds(900)
        configuration.stopTimeout = .seconds(900)
        configuration.recognition.finalizationTimeout = .seconds(900)
        configuration.tail = .milliseconds(Int.random(in: 0...100, using: &random))
        let capturer = ScriptedCapturer(
            [.silence(for: .seconds(900))], bufferDuration: .milliseconds(Int.random(in: 10...100, using: &random))
        ) { $0.capacity = .seconds(900) }
        var session: DictationSession? = DictationSession(
            engine: engine, capturer: capturer, configuration: configuration)
        let events = session?.events()
        let listener = Task {
            var takes: [Take] = []
            var paused: Set<TakeID> = []
            guard let events else { return takes }
            for await event in events {
                switch event.kind {
                case .text(let change) where !change.finalResults.isEmpty: killer.noteFinal()
                case .state(.paused): paused.insert(event.take)
                case .ended(let transcript):
                    takes.append(Take(transcript: transcript, wasPaused: paused.contains(event.take)))
                default: continue
                }
            }
            return takes
        }
        await session?.perform(.start)
        for _ in 0..<Int.random(in: 2...8, using: &random) {
            try? await Task.sleep(for: .milliseconds(Int.random(in: 0...400, using: &random)))
            if Bool.random(using: &random) {
                killer.strike(with: HelperKiller.signal(using: &random))
            } else {
                await session?.perform(Call.allCases.randomElement(using: &random) ?? .start)
            }
        }
        await session?.stop()
        // Releasing the session ends its events.
        session = nil
        return await listener.value
    }

    /// The final results of some silence in this process.
    private static func segments(of duration: Duration) async throws -> [SpeechResult] {
        let count = Int(AudioFormat.speech.frames(in: duration))
        guard count > 0 else { return [] }
        let session = try await ScriptedEngine(script).makeSession(.liveDictation())
        try session.start(AudioInput([AudioBuffer(silence: count, format: .speech)]))
        var results: [SpeechResult] = []
        for try await update in session.results { if let final = update.finalResult { results.append(final) } }
        _ = try await session.finish()
        return results
    }
}

private enum Call: CaseIterable { case start, stop, cancel, toggle, pause, resume }

extension DictationSession {
    fileprivate func perform(_ call: Call) async {
        switch call {
        case .start: _ = try? await start()
        case .stop: await stop()
        case .cancel: await cancel()
        case .toggle: _ = try? await toggle()
        case .pause: await pause()
        case .resume: try? await resume()
        }
    }
}

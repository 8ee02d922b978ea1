import DictationCapture
import DictationCore
import DictationEngines
import DictationTesting

/// The pipeline without an engine's work: microphone, session, backlog, scripted results, accumulator, listeners.
enum Pipeline {
    static func measure(runs: Int) async throws -> [Measurement] {
        var measurements: [Measurement] = []
        for (minutes, buffer, listeners, label) in [
            (60, 20, 1, "an hour in pieces of 20 ms"), (60, 100, 1, "an hour in pieces of 100 ms"),
            (60, 20, 8, "an hour in pieces of 20 ms, 8 listeners"), (120, 20, 1, "two hours in pieces of 20 ms"),
        ] {
            var seconds: [Double] = []
            for _ in 0..<runs {
                seconds.append(
                    try await take(minutes: minutes, bufferDuration: .milliseconds(buffer), listeners: listeners))
            }
            measurements.append(
                Measurement(name: "pipeline: \(label)", unit: "s of processor time", runs: seconds))
            measurements.append(
                Measurement(
                    name: "pipeline: \(label)", unit: "audio hours a second",
                    runs: seconds.map { Double(minutes) / 60 / $0 }))
        }
        return measurements
    }

    /// Dictates in virtual time at 16 kHz, and answers how much processor time it took.
    private static func take(
        minutes: Int, bufferDuration: Duration, listeners: Int
    ) async throws -> Double {
        let second = AudioBuffer((0..<16_000).map { Int16(truncatingIfNeeded: $0 &* 7_919) })
        let began = processorSeconds()
        try await VirtualTime.run(realTimeLimit: .seconds(600)) { clock in
            let capturer = ScriptedCapturer(
                Array(repeating: .samples(second), count: minutes * 60), bufferDuration: bufferDuration)
            let session = DictationSession(engine: ScriptedEngine(), capturer: capturer)
            for _ in 0..<listeners {
                let events = session.events
                DictationRuntime.current.task { for await _ in events {} }
            }
            try await session.start()
            await clock.advance(by: .seconds(minutes * 60))
            let transcript = await session.stop()
            guard transcript.segments.count == minutes * 30 else {
                throw DictationError(.engineFailed, "\(transcript.segments.count) segments came, not \(minutes * 30).")
            }
        }
        return processorSeconds() - began
    }
}

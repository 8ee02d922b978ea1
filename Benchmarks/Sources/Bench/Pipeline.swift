import DictationCapture
import DictationCore
import DictationEngines
import DictationTesting

/// The pipeline without an engine's work: microphone, session, backlog, scripted results, accumulator, listeners.
enum Pipeline {
    static func measure(runs: Int) async throws -> [Measurement] {
        var measurements: [Measurement] = []
        for (minutes, listeners, label) in [
            (60, 1, "an hour, 1 listener"), (60, 8, "an hour, 8 listeners"), (120, 1, "two hours, 1 listener"),
        ] {
            var seconds: [Double] = []
            for _ in 0..<runs { seconds.append(try await take(minutes: minutes, listeners: listeners)) }
            measurements.append(
                Measurement(name: "pipeline: \(label)", unit: "s of processor time", runs: seconds))
            measurements.append(
                Measurement(
                    name: "pipeline: \(label)", unit: "audio hours a second",
                    runs: seconds.map { Double(minutes) / 60 / $0 }))
        }
        return measurements
    }

    /// Dictates in virtual time, in buffers of 20 ms at 16 kHz, and answers how much processor time it took.
    private static func take(minutes: Int, listeners: Int) async throws -> Double {
        let second = AudioBuffer((0..<16_000).map { Int16(truncatingIfNeeded: $0 &* 7_919) })
        let began = processorSeconds()
        try await VirtualTime.run(realTimeLimit: .seconds(600)) { clock in
            let capturer = ScriptedCapturer(Array(repeating: .samples(second), count: minutes * 60))
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

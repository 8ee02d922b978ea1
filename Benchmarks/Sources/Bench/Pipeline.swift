import BenchSpeech
import DictationCapture
import DictationCore
import DictationEngines
import DictationTesting

/// A take in virtual time with everything but a real engine: microphone, session, backlog, scripted results,
/// accumulator and listeners.
struct Pipeline {
    var minutes = 60
    var buffer = Duration.milliseconds(100)
    var listeners = 1
    /// The number of final results in a minute.
    var finalsPerMinute = 30

    /// Measures how the cost grows with more audio, smaller buffers, more listeners and more results.
    static func measure(runs: Int) async throws -> [Measurement] {
        let hour = Pipeline()
        var dense = hour
        dense.finalsPerMinute = 120
        var cases: [(String, Pipeline)] = [("an hour, pieces of 100 ms", hour)]
        func add(_ name: String, _ change: (inout Pipeline) -> Void) {
            var pipeline = hour
            change(&pipeline)
            cases.append((name, pipeline))
        }
        add("an hour, pieces of 20 ms") { $0.buffer = .milliseconds(20) }
        add("two hours, pieces of 100 ms") { $0.minutes = 120 }
        add("an hour, 8 listeners") { $0.listeners = 8 }
        add("an hour, 4 times the results") { $0.finalsPerMinute = 120 }
        var measurements: [Measurement] = []
        for (name, pipeline) in cases {
            var measurement = try await Measurement.inTurns(
                "pipeline: \(name)", "s CPU", runs: runs, against: cases[0].0,
                ours: { try await pipeline.take().seconds },
                theirs: { try await hour.take().seconds })
            if name == cases[0].0 { measurement.peer = nil }
            measurements.append(measurement)
            if name.hasPrefix("an hour, pieces") {
                measurements.append(
                    Measurement(
                        name: "pipeline: \(name)", unit: "audio hours a second",
                        runs: measurement.runs.map { Double(pipeline.minutes) / 60 / $0 }))
            }
        }
        return measurements
    }

    /// Runs the take. Returns the processor time, this thread's allocations and the memory after each tenth.
    func take() async throws -> (seconds: Double, allocations: Int, megabytes: [Double]) {
        let second = AudioBuffer((0..<16_000).map { Int16(truncatingIfNeeded: $0 &* 7_919) })
        let began = processorSeconds()
        let (allocations, megabytes) = try await VirtualTime.run(realTimeLimit: .seconds(900)) { clock in
            let capturer = ScriptedCapturer(
                Array(repeating: .samples(second), count: minutes * 60), bufferDuration: buffer)
            let session = DictationSession(engine: ScriptedEngine(script), capturer: capturer)
            for _ in 0..<listeners {
                let events = session.events()
                DictationRuntime.current.task { for await _ in events {} }
            }
            try await session.start()
            let before = Allocations.ofThisThread
            var megabytes: [Double] = []
            for _ in 0..<10 {
                await clock.advance(by: .seconds(minutes * 6))
                megabytes.append(residentMegabytes())
            }
            let allocations = Allocations.ofThisThread - before
            let transcript = await session.stop()
            guard transcript.segments.count == minutes * finalsPerMinute else {
                throw DictationError(
                    .engineFailed,
                    "The take has \(transcript.segments.count) segments, not \(minutes * finalsPerMinute).")
            }
            return (allocations, megabytes)
        }
        return (processorSeconds() - began, allocations, megabytes)
    }

    /// Alternating volatile and final results.
    private var script: ScriptedEngine.Script {
        let each = Duration.seconds(60) / finalsPerMinute
        return [.volatile("one two", at: each / 2), .final("one two three four", at: each), .repeats(every: each)]
    }
}

import BenchSpeech
import DictationCore
import DictationEngines
import FoundationEssentials
import Glibc

/// Measures what it costs to run an engine in a process of its own, in turns with the same engine in this process.
struct HelperCost {
    /// The engine in this process.
    let plain: any SpeechEngine
    /// The same engine in a process of its own.
    let helper: HelperEngine
    let recordings: [[Int16]]

    /// Measures every engine, with `runs` runs over all recordings.
    static func measure(runs: Int) async throws -> [Measurement] {
        let recordings = try SpeechRecording.audio().filter { !$0.isLong }.map { try $0.samples() }
        let model = try SherpaOnnxEngine.Model(folder: sherpaOnnxModelFolder())
        let sphinx = try PocketSphinxModel(folder: "/usr/share/pocketsphinx/model/en-us")
        let descriptions = [
            try EngineDescription.sherpaOnnx(model, locales: ["en-US"]), .pocketSphinx([sphinx]),
        ]
        var all: [Measurement] = []
        for (plain, description) in zip(try engines(), descriptions) {
            var configuration = HelperEngine.Configuration()
            configuration.retention = .processLifetime
            let helper = HelperEngine(description, configuration: configuration)
            all += try await HelperCost(plain: plain, helper: helper, recordings: recordings).measure(runs: runs)
        }
        return all
    }

    private func measure(runs: Int) async throws -> [Measurement] {
        for engine in [plain, helper] as [any SpeechEngine] {
            try await engine.prepare(.liveDictation())
            _ = try await recognize(recordings.first ?? [], with: engine)
        }
        let name = "helper, \(plain.name)"
        // A quick engine has more turns, because other programs disturb a short run more.
        let turns = runs * max(1, Int(20 / (try await cost(plain))))
        let costs = try await Measurement.inTurns(
            "\(name): \(recordings.count) recordings, this process and the engine's", "s CPU", runs: turns,
            against: "in this process",
            ours: { try await cost(helper) }, theirs: { try await cost(plain) })
        let delays = try await Measurement.inTurns(
            "\(name): end of the sound to the last final text", "ms", runs: runs, against: "in this process",
            ours: { try await delay(helper) }, theirs: { try await delay(plain) })
        let added = zip(delays.runs, delays.peer?.runs ?? []).map { $0 - $1 }
        let starts = try await Measurement.inTurns(
            "\(name): start of another session", "ms", runs: runs * 20, against: "in this process",
            ours: { try await start(helper) }, theirs: { try await start(plain) })
        return [
            costs, delays, Measurement(name: "\(name): what the engine's process adds to it", unit: "ms", runs: added),
            starts,
        ]
    }

    /// Returns the processor time of all recordings, as fast as possible.
    private func cost(_ engine: any SpeechEngine) async throws -> Double {
        let before = processorSeconds() + processorSecondsOfHelpers()
        for samples in recordings { _ = try await recognize(samples, with: engine) }
        return processorSeconds() + processorSecondsOfHelpers() - before
    }

    /// Returns the median over all recordings of the time from the end of the sound to the end of the results. The
    /// last second of a recording has its own speed, as from a microphone.
    private func delay(_ engine: any SpeechEngine) async throws -> Double {
        var delays: [Double] = []
        for samples in recordings {
            delays.append(try await recognize(samples, with: engine, pacing: .seconds(1)) / .milliseconds(1))
        }
        return delays.median
    }

    /// Returns how long it takes until another session is ready for sound.
    private func start(_ engine: any SpeechEngine) async throws -> Double {
        let began = ContinuousClock.now
        let session = try await engine.makeSession(.liveDictation())
        let time = ContinuousClock.now - began
        await session.cancel()
        return time / .milliseconds(1)
    }

    /// Recognizes a recording in pieces of 100 ms. Returns the time from the last piece to the end of the results.
    private func recognize(
        _ samples: [Int16], with engine: any SpeechEngine, pacing end: Duration = .zero
    ) async throws -> Duration {
        let whole = AudioBuffer(samples)
        let pieces = stride(from: 0, to: samples.count, by: 1_600).map { start in
            whole.slice(start..<min(samples.count, start + 1_600))
        }
        let paced = pieces.count - Int(end / .milliseconds(100))
        let ended = Watch()
        let clock = ContinuousClock()
        let began = clock.now
        let session = try await engine.makeSession(.liveDictation())
        try session.start(
            AudioInput {
                var next = 0
                return { () async throws(DictationError) in
                    if next >= paced, next < pieces.count { try? await clock.sleep(for: .milliseconds(100)) }
                    defer { next += 1 }
                    if next == pieces.count - 1 { ended.add((clock.now - began) / .seconds(1)) }
                    return next < pieces.count ? pieces[next] : nil
                }
            })
        for try await _ in session.results {}
        let time = clock.now - began
        guard try await session.finish() == .complete, let last = ended.all.first else {
            throw DictationError(.timedOut, "\(engine.name) did not finish a recording in time.")
        }
        return time - .seconds(last)
    }
}

/// Returns the processor time that the helpers of this process have used so far, in seconds.
func processorSecondsOfHelpers() -> Double {
    let files = FileManager.default
    let threads = (try? files.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
    let children = threads.flatMap { thread in
        let text = (try? String(contentsOfFile: "/proc/self/task/\(thread)/children", encoding: .utf8)) ?? ""
        return text.split(separator: " ").compactMap { pid_t($0) }
    }
    return children.reduce(0) { total, child in
        var (clock, time) = (clockid_t(), timespec())
        guard clock_getcpuclockid(child, &clock) == 0, clock_gettime(clock, &time) == 0 else { return total }
        return total + Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

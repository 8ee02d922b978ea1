import DictationCapture
import DictationCore
import DictationEngines
import DictationTesting

/// One generated run: a microphone and an engine with faults, and several tasks that call a session in random order.
///
/// The same seed makes the same run, including the order of tasks that could run at the same moment.
struct RandomSchedule {
    enum Call: CaseIterable { case start, stop, cancel, toggle, pause, resume }

    let seed: UInt64
    private var random: SplitMix64
    private let hasFaults: Bool
    private let cancels: Bool
    /// Whether the microphone's rate differs from the engine's, so that the audio passes a resampler.
    private let resamples: Bool

    init(seed: UInt64) {
        self.seed = seed
        random = SplitMix64(seed: seed)
        hasFaults = Bool.random(using: &random)
        cancels = Bool.random(using: &random)
        resamples = Int.random(in: 0..<12, using: &random) == 0
    }

    /// Runs the schedule and returns a description of each broken promise.
    func problems() async throws -> [String] {
        var run = self
        let configuration = run.configuration()
        let microphone = run.microphone()
        let faults = run.faults()
        let sessions = run.chance(0.3) && hasFaults ? 1 : nil
        let callers = Int.random(in: 1...4, using: &run.random)
        let tasks = (0..<callers).map { _ in run.calls(alone: callers == 1) }
        let (cancels, resamples) = (cancels, resamples)
        let (openFailures, stopDelay) = hasFaults ? run.slowness() : (0, .zero)
        let (format, period) = run.period()
        let makeSpool = run.spool()
        let slowReader = run.chance(0.3) ? run.time(100...5_000) : nil
        let lateness = run.chance(0.3) ? run.time(0...6_000) : run.time(0...20)
        // Work on the main actor is slow, so few runs have a model.
        let hasModel = run.chance(0.1)
        // On a machine that is seconds late, limits run out. A caller that loses patience cancels its call.
        let isCalm = !hasFaults && lateness < .seconds(1) && tasks.joined().allSatisfy { $0.patience == nil }
        let body = { @concurrent @Sendable (clock: ManualClock) async throws -> [String] in
            let engine = TappedEngine(
                base: ScriptedEngine(
                    capabilities: EngineCapabilities(ScriptedEngine.scriptedFeatures, maximumSessions: sessions)
                ) { request in Self.script(request.attempt, faults[request.attempt % faults.count]) })
            let capturer = ScriptedCapturer(takes: microphone, format: format, bufferDuration: period) {
                $0.openFailures = openFailures
                $0.stopDelay = stopDelay
            }
            let spool = makeSpool()
            let session = DictationSession(
                engine: engine, capturer: capturer, converters: SampleRateConverter.Provider(), spool: spool,
                configuration: configuration)
            let observer = ScheduleObserver(limits: configuration, lateness: lateness)
            let model = hasModel ? await ModelObserver(session) : nil
            let events = session.events()
            DictationRuntime.current.task { for await event in events { observer.hear(event) } }
            let lateObserver = ScheduleObserver(limits: configuration, lateness: lateness)
            if let slowReader {
                let lateEvents = session.events()
                DictationRuntime.current.task {
                    for await event in lateEvents {
                        lateObserver.hear(event)
                        try? await DictationRuntime.current.sleep(slowReader)
                    }
                }
            }
            await withTaskGroup(of: Void.self) { group in
                for calls in tasks {
                    group.addTask {
                        for call in calls {
                            if hasModel {
                                // The next call may come while the busy main actor still delays an earlier one.
                                try? await DictationRuntime.current.sleep(call.delay)
                            } else {
                                await clock.advance(by: call.delay)
                            }
                            await observer.make(call, on: session, model, clock)
                        }
                    }
                }
            }
            await clock.advance(by: .seconds(1))
            // Calls may overtake each other on a busy main actor, so the expected state is unknown.
            if !hasModel { observer.checkState(session.state, exactly: isCalm) }
            await clock.hold { await model?.checkWhatIsShown() }
            await session.stop()
            // A listener that reads one event in five seconds needs more time.
            await clock.advance(by: .seconds(slowReader == nil ? 400 : 4_000))
            // A microphone that opens after its take gave it up has captured audio that belongs to no take.
            let isExact = !cancels && !resamples && !hasModel
            observer.checkEnd(
                of: session, capturer: capturer.counts, pulled: engine.pulled.value, isExact: isExact,
                mayLeaveStreams: lateness + stopDelay >= .seconds(2))
            if !cancels { observer.checkTimes(pulled: engine.pulled.value) }
            if slowReader != nil { lateObserver.checkEnds(are: observer) }
            await clock.hold { await model?.checkEnds(are: observer.ends) }
            if engine.open.value != 0 { observer.note("\(engine.open.value) sessions of the engine are left open") }
            if spool?.isWriterLeft == true { observer.note("a writer of the spool is left open") }
            if (try? await capturer.start(CaptureOptions())) == nil, openFailures == 0 {
                observer.note("the microphone is left open")
            }
            return await observer.problems + lateObserver.problems + (model?.problems ?? [])
        }
        guard hasModel else {
            return try await VirtualTime.run(
                seed: seed, lateness: lateness, realTimeLimit: .seconds(120)
            ) { try await body($0) }
        }
        return try await VirtualTime.run(seed: seed, lateness: lateness, realTimeLimit: .seconds(120)) {
            @MainActor clock in try await body(clock)
        }
    }

    // MARK: Random values

    private mutating func chance(_ probability: Double) -> Bool {
        Double.random(in: 0..<1, using: &random) < probability
    }

    private mutating func time(_ range: ClosedRange<Int>) -> Duration {
        .milliseconds(Int.random(in: range, using: &random))
    }

    private mutating func configuration() -> DictationSession.Configuration {
        var configuration = DictationSession.Configuration()
        configuration.tail = time(0...300)
        configuration.stopTimeout = .seconds(4)
        configuration.warmUpTimeout = .seconds(6)
        configuration.openTimeout = .seconds(3)
        if hasFaults {
            if chance(0.3) { configuration.backlog = time(100...1_000) }
            if chance(0.2) { configuration.endingSilence = time(300...2_000) }
            if chance(0.2) { configuration.maximumLength = time(300...2_000) }
        }
        return configuration
    }

    private mutating func microphone() -> [[ScriptedCapturer.Step]] {
        guard hasFaults else { return [[.tone(440, for: .seconds(600))]] }
        return (0..<3).map { _ in
            var steps: [ScriptedCapturer.Step] = []
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                switch Int.random(in: 0..<9, using: &random) {
                case 0: steps.append(.gap(for: time(1...300)))
                case 1: steps.append(.unplug(for: time(1...900)))
                case 2: steps.append(.nothing(for: time(1...500)))
                case 3: steps.append(.silence(for: time(1...900)))
                case 4: steps.append(.stall(for: time(1...900)))
                case 5:
                    let rate = resamples ? [8_000, 22_050, 48_000].randomElement(using: &random) ?? 16_000 : 16_000
                    steps.append(.format(AudioFormat(sampleRate: rate, channelCount: 2, sampleType: .float32)))
                    if chance(0.5) { steps.append(.gap(for: time(1...300))) }
                case 6: steps.append(.zeros(for: time(1...900)))
                case 7: steps.append(chance(0.5) ? .end : .unplug)
                default: break
                }
                steps.append(.tone(440, for: time(1...1_500)))
            }
            return steps
        }
    }

    private mutating func slowness() -> (openFailures: Int, stopDelay: Duration) {
        (chance(0.2) ? Int.random(in: 1...6, using: &random) : 0, chance(0.2) ? time(1...3_000) : .zero)
    }

    /// The faults of each recognition session, in order.
    private mutating func faults() -> [[ScriptedEngine.Script.Step]] {
        (0..<4).map { _ in
            var steps: [ScriptedEngine.Script.Step] = []
            if chance(0.5) { steps.append(.slowStart(time(1...1_500))) }
            guard hasFaults, chance(0.6) else { return steps }
            let broken = DictationError(.engineFailed, "The engine broke.")
            switch Int.random(in: 0..<6, using: &random) {
            case 0: steps.append(.error(broken, at: time(1...500)))
            case 1: steps.append(.stall(at: time(1...500)))
            case 2: steps.append(.stall(at: time(1...500), for: time(1...700)))
            case 3: steps.append(.neverFinishes())
            case 4: steps.append(.slowFinish(time(1...5_000)))
            default: steps.append(.failingStart(chance(0.5) ? broken : DictationError(.timedOut, "Not yet.")))
            }
            return steps
        }
    }

    /// Returns a session's script. Its text names the session, so that a test notices text in the wrong take.
    private static func script(_ attempt: Int, _ faults: [ScriptedEngine.Script.Step]) -> ScriptedEngine.Script {
        let steps: [ScriptedEngine.Script.Step] = [
            .volatile("\(attempt)", at: .milliseconds(150)), .volatile("\(attempt) b", at: .milliseconds(350)),
            .final("\(attempt) b", at: .milliseconds(500)), .repeats(every: .milliseconds(500)), .final("\(attempt)"),
        ]
        return ScriptedEngine.Script(steps + faults)
    }

    /// A call, its delay after the previous one, and the time after which its caller cancels it.
    struct TimedCall {
        var delay: Duration
        var call: Call
        var patience: Duration?
        /// The origin with which to call the model; `nil` calls the session.
        var origin: String?
    }

    private mutating func calls(alone: Bool) -> [TimedCall] {
        let allowed = Call.allCases.filter { cancels || $0 != .cancel }
        var calls: [TimedCall] = []
        for _ in 0..<Int.random(in: 2...8, using: &random) {
            // Cancelling the caller of a start cancels the take, so runs without cancels have no patience limit.
            let patience = cancels && chance(0.1) ? time(0...1_000) : nil
            var delay = chance(0.3) ? .zero : time(0...1_500)
            if alone, calls.last?.call == .pause, chance(0.3) { delay = time(1_000...3_600_000) }
            let call = allowed.randomElement(using: &random) ?? .start
            let origin = chance(0.5) ? "field \(UInt32.random(in: 0 ... .max, using: &random))" : nil
            calls.append(TimedCall(delay: delay, call: call, patience: patience, origin: origin))
        }
        return calls
    }

    /// The microphone's format and the length of its buffers.
    private mutating func period() -> (AudioFormat, Duration) {
        guard resamples else { return (.speech, chance(0.8) ? .milliseconds(100) : time(7...333)) }
        let rates = [11_025, 22_050, 44_100, 48_000, 96_000, 192_000]
        let format = AudioFormat(sampleRate: rates.randomElement(using: &random) ?? 44_100)
        return (format, format.duration(ofFrames: [441, 1_024, 3_999, 4_096].randomElement(using: &random) ?? 1_024))
    }

    /// The spool: mostly none, otherwise one that is slow, hangs or fails.
    private mutating func spool() -> @Sendable () -> SlowSpool? {
        guard chance(0.3) else { return { nil } }
        let delay = time(0...300)
        let writes = Int.random(in: 0...40, using: &random)
        let fault = Int.random(in: 0..<3, using: &random)
        return {
            SlowSpool(delay: delay, hangsAfter: fault == 1 ? writes : .max, failsAfter: fault == 2 ? writes : .max)
        }
    }
}

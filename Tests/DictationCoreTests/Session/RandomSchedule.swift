import DictationCapture
import DictationCore
import DictationEngines
import DictationTesting

/// One generated run: a microphone and an engine with faults, several tasks that call a session in random order.
///
/// The same seed gives the same run, to the order of tasks that could run at the same moment.
struct RandomSchedule {
    enum Call: CaseIterable { case start, stop, cancel, toggle, pause, resume }

    let seed: UInt64
    private var random: SplitMix64
    private let hasFaults: Bool
    private let cancels: Bool

    init(seed: UInt64) {
        self.seed = seed
        random = SplitMix64(seed: seed)
        hasFaults = Bool.random(using: &random)
        cancels = Bool.random(using: &random)
    }

    /// Runs the schedule and says what was wrong with it.
    func problems() async throws -> [String] {
        var run = self
        let configuration = run.configuration()
        let microphone = run.microphone()
        let faults = run.faults()
        let sessions = run.chance(0.3) && hasFaults ? 1 : nil
        let tasks = (0..<Int.random(in: 1...4, using: &run.random)).map { _ in run.calls() }
        let faultlessCalls = !hasFaults
        let cancels = cancels
        let (openFailures, stopDelay) = hasFaults ? run.slowness() : (0, .zero)
        return try await VirtualTime.run(seed: seed, realTimeLimit: .seconds(30)) { clock in
            let engine = TappedEngine(
                base: ScriptedEngine(
                    capabilities: EngineCapabilities(ScriptedEngine.scriptedFeatures, maximumSessions: sessions)
                ) { request in Self.script(request.attempt, faults[request.attempt % faults.count]) })
            let capturer = ScriptedCapturer(takes: microphone, bufferDuration: .milliseconds(100)) {
                $0.openFailures = openFailures
                $0.stopDelay = stopDelay
            }
            let session = DictationSession(engine: engine, capturer: capturer, configuration: configuration)
            let observer = ScheduleObserver(limits: configuration)
            let events = session.events
            DictationRuntime.current.task { for await event in events { observer.hear(event) } }
            await withTaskGroup(of: Void.self) { group in
                for calls in tasks {
                    group.addTask {
                        for (delay, call) in calls {
                            await clock.advance(by: delay)
                            await observer.make(call, on: session, clock)
                        }
                    }
                }
            }
            await clock.advance(by: .seconds(1))
            observer.checkState(session.state, exactly: faultlessCalls)
            await session.stop()
            await clock.advance(by: .seconds(60))
            observer.checkEnd(of: session, capturer: capturer.counts, pulled: engine.pulled.value, cancels: cancels)
            return observer.problems
        }
    }

    // MARK: Drawing

    private mutating func chance(_ probability: Double) -> Bool {
        Double.random(in: 0..<1, using: &random) < probability
    }

    private mutating func time(_ range: ClosedRange<Int>) -> Duration {
        .milliseconds(Int.random(in: range, using: &random))
    }

    private mutating func configuration() -> DictationConfiguration {
        var configuration = DictationConfiguration()
        configuration.tail = time(0...300)
        configuration.stopLimit = .seconds(4)
        configuration.warmUpLimit = .seconds(6)
        configuration.openLimit = .seconds(3)
        if hasFaults {
            if chance(0.3) { configuration.backlog = time(100...1_000) }
            if chance(0.2) { configuration.stopAfterSilence = time(300...2_000) }
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
                case 5: steps.append(.format(AudioFormat(sampleRate: 16_000, channelCount: 2, sampleType: .float32)))
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

    /// What goes wrong in each session, in turn.
    private mutating func faults() -> [[SpeechScript.Step]] {
        (0..<4).map { _ in
            var steps: [SpeechScript.Step] = []
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

    /// A session's script; its text says which session it is from, so that it can be recognized in the wrong take.
    private static func script(_ attempt: Int, _ faults: [SpeechScript.Step]) -> SpeechScript {
        let steps: [SpeechScript.Step] = [
            .volatile("\(attempt)", at: .milliseconds(150)), .volatile("\(attempt) b", at: .milliseconds(350)),
            .final("\(attempt) b", at: .milliseconds(500)), .repeats(every: .milliseconds(500)), .final("\(attempt)"),
        ]
        return SpeechScript(steps + faults)
    }

    private mutating func calls() -> [(Duration, Call)] {
        let allowed = Call.allCases.filter { cancels || $0 != .cancel }
        return (0..<Int.random(in: 2...8, using: &random)).map { _ in
            (chance(0.3) ? .zero : time(0...1_500), allowed.randomElement(using: &random) ?? .start)
        }
    }
}

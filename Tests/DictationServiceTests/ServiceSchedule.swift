import DictationCapture
import DictationCore
import DictationEngines
import DictationTesting
import Synchronization

@testable import DictationService

/// One generated run: several callers give a service intents in random order, leave early, hold takes and drop them.
///
/// The same seed makes the same run, including the order of tasks that could run at the same moment.
struct ServiceSchedule {
    private enum Call: CaseIterable { case start, stop, toggle, cancel, pause, resume, last, status, hold }

    private struct TimedCall {
        var delay: Duration
        var call: Call
        /// When the caller gives up waiting for the answer.
        var patience: Duration?
        /// How long a hold lasts, and whether its holder dies instead of releasing it.
        var holding: Duration
        var drops: Bool
    }

    private let seed: UInt64
    private var random: SplitMix64
    private let hasFaults: Bool

    init(seed: UInt64) {
        self.seed = seed
        random = SplitMix64(seed: seed)
        hasFaults = Bool.random(using: &random)
    }

    /// Runs the schedule and returns a description of each broken promise.
    func problems() async throws -> [String] {
        var run = self
        var configuration = DictationSession.Configuration()
        configuration.tail = run.time(0...200)
        (configuration.stopTimeout, configuration.openTimeout) = (.seconds(4), .seconds(3))
        if hasFaults, run.chance(0.4) { configuration.maximumLength = run.time(300...2_000) }
        let lateness = run.chance(0.2) ? run.time(0...3_000) : run.time(0...20)
        let engine = run.engineSteps()
        let openFailures = hasFaults && run.chance(0.2) ? Int.random(in: 1...6, using: &run.random) : 0
        let callers = Int.random(in: 1...5, using: &run.random)
        let calls = (0..<callers).map { _ in run.calls() }
        // With several callers, or with faults, the order of what happens is not known.
        let expected = callers == 1 && !hasFaults ? Self.state(after: calls[0]) : nil
        return try await VirtualTime.run(seed: seed, lateness: lateness, realTimeLimit: .seconds(120)) {
            [configuration] clock in
            let session = DictationSession(
                engine: ScriptedEngine { request in
                    // Each text names its take, so that a text in the wrong hands is noticed.
                    ScriptedEngine.Script([.final("\(request.attempt)", at: .milliseconds(120))] + engine)
                }, capturer: ScriptedCapturer([.tone(440, for: .seconds(600))]) { $0.openFailures = openFailures },
                configuration: configuration)
            let service = DictationService(session: session)
            let observer = ServiceObserver(limit: configuration.stopTimeout + .seconds(6) + lateness * 4)
            let events = session.events()
            DictationRuntime.current.task { for await event in events { observer.hear(event) } }
            await withTaskGroup(of: Void.self) { group in
                for calls in calls {
                    group.addTask {
                        for call in calls {
                            try? await DictationRuntime.current.sleep(call.delay)
                            await Self.make(call, on: service, observer)
                        }
                    }
                }
            }
            await clock.advance(by: .seconds(8))
            // Nobody holds anything any more, so this stops whatever is left.
            let before = service.publisher.status
            if let expected, before.state != expected { observer.note("the state is \(before.state), not \(expected)") }
            let last = try? await service.perform(.stop)
            if before.isActive, last?.text == nil { observer.note("the last stop got \(last?.words ?? "an error")") }
            observer.got(last, after: "the last stop")
            await service.waitUntilSettled()
            // The observer reads the same events, perhaps later.
            await clock.advance(by: .seconds(5))
            if service.publisher.status.isActive { observer.note("the service still records") }
            if service.texts.pending > 0 { observer.note("\(service.texts.pending) callers still wait") }
            observer.checkEnd(last: try? await service.texts.last())
            return observer.problems
        }
    }

    private static func make(_ call: TimedCall, on service: DictationService, _ observer: ServiceObserver) async {
        let runtime = DictationRuntime.current
        let began = runtime.now()
        if call.call == .hold {
            await hold(call, service, observer)
            return
        }
        let intent = intent(of: call.call)
        let name = "\(call.call)"
        let answer: DictationAnswer?
        if let patience = call.patience {
            let made = await runtime.within(patience) {
                await Result.of { () async throws(DictationError) in try await service.perform(intent) }
            }
            guard let made else { return }
            answer = try? made.get()
        } else {
            answer = try? await service.perform(intent)
            if runtime.now() - began > observer.limit { observer.note("\(name) took \(runtime.now() - began)") }
        }
        if intent != .last { observer.got(answer, after: name) }
    }

    private static func hold(_ call: TimedCall, _ service: DictationService, _ observer: ServiceObserver) async {
        var hold = try? await service.hold()
        guard let take = hold?.take else { return }
        try? await DictationRuntime.current.sleep(call.holding)
        if !call.drops { observer.got(try? await hold?.release(), after: "the end of a hold") }
        hold = nil
        let status = service.session.state
        if status.isActive, service.session.transcript.take == take {
            observer.note("\(take) is recorded although its holder is gone")
        }
    }

    /// Returns the state after the intents of one caller.
    private static func state(after calls: [TimedCall]) -> ServiceStatus.State {
        calls.reduce(.idle) { state, call in
            switch (call.call, state) {
            case (.start, _), (.toggle, .idle), (.resume, .paused): .recording
            case (.stop, _), (.toggle, _), (.cancel, _): .idle
            case (.pause, .recording): .paused
            case (.pause, _), (.resume, _), (.last, _), (.status, _), (.hold, _): state
            }
        }
    }

    private static func intent(of call: Call) -> DictationIntent {
        switch call {
        case .start: .start()
        case .stop: .stop
        case .toggle: .toggle()
        case .cancel: .cancel
        case .pause: .pause
        case .resume: .resume
        case .last: .last
        case .status, .hold: .status
        }
    }

    // MARK: Random values

    private mutating func chance(_ probability: Double) -> Bool {
        Double.random(in: 0..<1, using: &random) < probability
    }

    private mutating func time(_ range: ClosedRange<Int>) -> Duration {
        .milliseconds(Int.random(in: range, using: &random))
    }

    private mutating func engineSteps() -> [ScriptedEngine.Script.Step] {
        var steps: [ScriptedEngine.Script.Step] = []
        if chance(0.3) { steps.append(.slowStart(time(1...1_500))) }
        guard hasFaults, chance(0.7) else { return steps }
        let broken = DictationError(.engineFailed, "The engine broke.")
        switch Int.random(in: 0..<5, using: &random) {
        case 0: steps.append(.error(broken, at: time(200...900)))
        case 1: steps.append(.neverFinishes())
        case 2: steps.append(.stall(at: time(200...500), for: time(1...700)))
        default: steps.append(.slowFinish(time(1...5_000)))
        }
        return steps
    }

    private mutating func calls() -> [TimedCall] {
        (0..<Int.random(in: 2...8, using: &random)).map { _ in
            TimedCall(
                delay: chance(0.3) ? .zero : time(0...1_500),
                call: Call.allCases.randomElement(using: &random) ?? .stop,
                patience: chance(0.2) ? time(0...600) : nil, holding: time(0...1_500), drops: chance(0.4))
        }
    }
}

/// Watches a random run and notes the promises that the service breaks.
final class ServiceObserver: Sendable {
    private struct State {
        var problems: [String] = []
        var given: [TakeID: (text: String, after: String)] = [:]
        var ended: [TakeID: Transcript] = [:]
        var cancelled: Set<TakeID> = []
        var newest: (take: TakeID, text: String)?
    }

    private let state = Mutex(State())
    /// The longest time that an answer may take.
    let limit: Duration

    init(limit: Duration) { self.limit = limit }

    var problems: [String] { state.withLock { $0.problems } }

    func note(_ problem: String) { state.withLock { $0.problems.append(problem) } }

    func hear(_ event: DictationEvent) {
        state.withLock { state in
            switch event.kind {
            case .ended(let transcript):
                state.ended[event.take] = transcript
                if !transcript.text.isEmpty { state.newest = (event.take, transcript.text) }
            case .cancelled: state.cancelled.insert(event.take)
            default: break
            }
        }
    }

    func got(_ answer: DictationAnswer?, after call: String) {
        guard let text = answer?.text else { return }
        state.withLock { state in
            if let earlier = state.given[text.take] {
                state.problems.append("the text of \(text.take) was given after \(earlier.after) and after \(call)")
            }
            state.given[text.take] = (text.text, call)
        }
    }

    /// Each text that was given is that of its take, and the newest one is kept.
    func checkEnd(last: DictatedText?) {
        state.withLock { state in
            for (take, given) in state.given {
                guard let transcript = state.ended[take] else {
                    state.problems.append("\(take) has a text but no end")
                    continue
                }
                if transcript.text != given.text {
                    state.problems.append("\(take) is “\(transcript.text)”, and “\(given.text)” was given")
                }
                if state.cancelled.contains(take) {
                    state.problems.append("\(take) was cancelled, and its text was given")
                }
            }
            if state.newest?.text != last?.text || state.newest?.take != last?.take {
                state.problems.append("the newest text is not the last one")
            }
        }
    }
}

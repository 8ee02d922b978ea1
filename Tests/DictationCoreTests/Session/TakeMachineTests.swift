import DictationTesting
import Testing

@testable import DictationCore

/// The state machine of a take with its events in every order, without a thread or a clock.
@Suite struct TakeMachineTests {
    private static let failure = DictationError(.engineFailed, "It broke.")
    private static let busy = DictationError(.deviceUnavailable, "It is busy.")
    private static let stream = CaptureStream { { () throws(DictationError) in nil } }

    private struct IdleSession: RecognitionSession {
        let audioFormat = AudioFormat.speech
        let results = RecognitionResults.makeStream().results
        func start(_ input: AudioInput) throws(DictationError) {}
        func finalize(through time: Duration?) async throws(DictationError) -> FinalizationOutcome { .complete }
        func finish() async throws(DictationError) -> FinalizationOutcome { .complete }
        func cancel() async {}
    }

    /// A machine and a model of its surroundings, which answers started actions and lets timers expire.
    private struct World {
        var machine = TakeMachine(DictationSession.Configuration(), keepsAudio: false)
        var timers: [TakeMachine.Timer: Int] = [:]
        var attempts: [Int] = []
        var closing: [Int] = []
        var reading: Set<Int> = []
        var opens = 0
        var conclusions = 0
        var isInputEnded = false
        var isSpoolClosing = false
        var awaitsMicrophone = true
        var problems: [String] = []

        mutating func send(_ event: TakeMachine.Event) {
            let wasOver = machine.isOver
            var actions = machine.handle(event)
            while !actions.isEmpty {
                let action = actions.removeFirst()
                perform(action, wasOver: wasOver)
                if case .conclude = action { actions += machine.finish(isTextSafe: true) }
            }
        }

        private mutating func perform(_ action: TakeMachine.Action, wasOver: Bool) {
            switch action {
            case .awaitMicrophone: awaitsMicrophone = true
            case .open(let attempt):
                if wasOver { problems.append("a take that is over opened its microphone") }
                attempts.append(attempt)
            case .read(_, let number): reading.insert(number)
            case .stopReading(let number): reading.remove(number)
            case .close(let attempt, _): closing.append(attempt)
            case .closeLate: opens -= 1
            case .endInput: isInputEnded = true
            case .start(let timer, let number, _): timers[timer] = number
            case .cancel(let timer): timers[timer] = nil
            case .conclude:
                conclusions += 1
                if wasOver || conclusions > 1 { problems.append("a take ended twice") }
            case .closeSpool: isSpoolClosing = true
            case .finishPhrase, .finalize, .endEngine, .report: break
            }
        }

        /// Answers all actions that are under way, so that the take can end.
        mutating func comeToRest() {
            for _ in 0..<30 {
                if awaitsMicrophone {
                    awaitsMicrophone = false
                    send(.microphoneIsFree)
                }
                for attempt in closing { send(.closed(attempt)) }
                closing = []
                for number in reading { send(.streamEnded(number, .success(()))) }
                for (timer, number) in timers {
                    timers[timer] = nil
                    send(.expired(timer, number))
                }
                if isSpoolClosing { send(.spoolClosed) }
            }
        }
    }

    @Test func everyOrderOfEventsEndsOnceAndComesToRest() {
        for seed in 0..<20_000 {
            var random = SplitMix64(seed: UInt64(seed))
            var world = World()
            var opened: Set<Int> = []
            for _ in 0..<Int.random(in: 1...25, using: &random) {
                switch Int.random(in: 0..<16, using: &random) {
                case 0: world.send(.pause)
                case 1: world.send(.resume)
                case 2: world.send(.stop)
                case 3 where seed % 3 == 0: world.send(.cancel(keepsAudio: seed % 2 == 0))
                case 4, 5: world.send(.microphoneIsFree)
                case 6, 7, 8:
                    guard let attempt = world.attempts.popLast() else { break }
                    opened.insert(attempt)
                    world.opens += 1
                    world.send(.opened(attempt, .success(Self.stream)))
                case 9:
                    guard let attempt = world.attempts.popLast() else { break }
                    world.send(.opened(attempt, .failure(seed % 4 == 0 ? Self.failure : Self.busy)))
                case 10: world.send(.engineReady(IdleSession()))
                case 11: world.send(.engineEnded(seed % 2 == 0 ? .success(.complete) : .failure(Self.failure)))
                case 12: if let number = world.reading.first { world.send(.streamEnded(number, .success(()))) }
                case 13: if let attempt = world.closing.popLast() { world.send(.closed(attempt)) }
                case 14:
                    guard let (timer, number) = world.timers.randomElement(using: &random) else { break }
                    world.timers[timer] = nil
                    world.send(.expired(timer, number))
                default: world.machine.hasAudio = world.machine.hasAudio || !opened.isEmpty
                }
            }
            world.send(.stop)
            world.comeToRest()
            let machine = world.machine
            #expect(
                machine.isOver && machine.isReleased && machine.isSettled && world.isInputEnded
                    && world.reading.isEmpty,
                "seed \(seed): \(machine)")
            #expect(world.problems.isEmpty, "seed \(seed): \(world.problems)")
            #expect((world.conclusions == 1) != machine.isCancelled, "seed \(seed)")
        }
    }

    @Test func aTimerThatWasStartedAgainIgnoresTheFirst() {
        var world = World()
        world.send(.microphoneIsFree)
        let first = world.timers[.opening]
        world.send(.pause)
        world.comeToRest()
        world.send(.resume)
        world.send(.microphoneIsFree)
        #expect(world.timers[.opening] != nil && world.timers[.opening] != first)
        if let first { world.send(.expired(.opening, first)) }
        #expect(!world.machine.isEnding && world.machine.error == nil)
    }
}

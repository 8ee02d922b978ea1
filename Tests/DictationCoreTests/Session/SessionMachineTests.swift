import Testing

@testable import DictationCore

@Suite struct SessionMachineTests {
    private static let failure = DictationError(.engineFailed, "It broke.")

    /// Returns a machine that is in a state, which it reached with as few steps as possible.
    private static func machine(in state: DictationSession.State) -> SessionMachine {
        var machine = SessionMachine()
        guard state != .idle else { return machine }
        _ = machine.handle(.start)
        switch state {
        case .idle, .starting: break
        case .recording: machine.handle(.capturing, from: machine.take)
        case .paused: _ = machine.handle(.pause)
        case .finalizing: _ = machine.handle(.stop)
        case .failed(let error): machine.handle(.done(error), from: machine.take)
        }
        return machine
    }

    private static let states: [DictationSession.State] = [
        .idle, .starting, .recording, .paused, .finalizing, .failed(failure),
    ]

    @Test(arguments: states)
    func everyStateIsReached(_ state: DictationSession.State) {
        #expect(Self.machine(in: state).state == state)
    }

    /// The state after each command, for each of the states above.
    private static let table: [(SessionMachine.Command, [DictationSession.State])] = [
        (.start, [.starting, .starting, .recording, .starting, .starting, .starting]),
        (.stop, [.idle, .finalizing, .finalizing, .finalizing, .finalizing, .idle]),
        (.cancel, [.idle, .idle, .idle, .idle, .idle, .idle]),
        (.pause, [.idle, .paused, .paused, .paused, .finalizing, .failed(failure)]),
        (.resume, [.idle, .starting, .recording, .starting, .finalizing, .failed(failure)]),
        (.retry, [.finalizing, .starting, .recording, .paused, .finalizing, .finalizing]),
    ]

    @Test(arguments: table)
    func aCommandLeadsFromEachStateToTheRightOne(
        _ command: SessionMachine.Command, _ expected: [DictationSession.State]
    ) {
        for (state, expected) in zip(Self.states, expected) {
            var machine = Self.machine(in: state)
            _ = machine.handle(command)
            #expect(machine.state == expected, "\(command) in \(state)")
        }
    }

    @Test(arguments: [SessionMachine.Command.start, .stop, .cancel, .pause, .resume])
    func aCommandGivenTwiceIsTheSameAsOnce(_ command: SessionMachine.Command) {
        for state in Self.states {
            var machine = Self.machine(in: state)
            _ = machine.handle(command)
            let once = machine
            let isRepeated =
                command == .start && once.state == .starting || command == .stop && once.state == .finalizing
            #expect(machine.handle(command) == nil || isRepeated)
            #expect(machine.state == once.state && machine.take == once.take)
        }
    }

    @Test func aReportOfAnOldTakeChangesNothing() {
        var machine = Self.machine(in: .finalizing)
        let old = machine.take
        _ = machine.handle(.start)
        for report in [SessionMachine.Report.capturing, .ending, .done(nil), .done(Self.failure)] {
            machine.handle(report, from: old)
            #expect(machine.state == .starting)
        }
    }

    @Test func aTakeThatIsStoppedGoesOnFinalizingBesideANewOne() {
        var machine = Self.machine(in: .finalizing)
        let old = machine.take
        #expect(machine.handle(.start) == .open(TakeID(number: old.number + 1)))
    }
}

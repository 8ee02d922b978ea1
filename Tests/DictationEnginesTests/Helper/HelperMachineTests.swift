import DictationCore
import DictationSystem
import DictationTesting
import TestSupport
import Testing

@testable import DictationEngines

/// What a session does whose helpers die.
@Suite struct HelperMachineTests {
    @Test func audioIsHeardBeforeItIsSettled() {
        var machine = HelperMachine(remembering: .zero)
        machine.add(AudioBuffer(silence: 1_600, format: .speech), size: 800)
        guard case .connect(let terms) = machine.next(toward: .final) else { return #expect(Bool(false), "no helper") }
        #expect(terms == HelperMachine.Terms(isAlone: false, isInStep: false, known: nil))
        machine.connected()
        for _ in 0..<2 {
            guard case .pass(.hear) = machine.next(toward: .final) else { return #expect(Bool(false), "not heard") }
        }
        guard case .settle = machine.next(toward: .final) else { return #expect(Bool(false), "not settled") }
        machine.settled()
        guard case .done = machine.next(toward: .final) else { return #expect(Bool(false), "not done") }
    }

    @Test func theNextHelperHearsAgainWhatIsNotFinal() {
        var machine = HelperMachine(remembering: .zero)
        machine.add(AudioBuffer(silence: 16_000, format: .speech), size: 8_000)
        _ = machine.next(toward: .heard)
        machine.connected()
        _ = machine.next(toward: .heard)
        _ = machine.admit(.finalized(through: .milliseconds(250)))
        let (updates, goesOn) = machine.died(HelperDeath(cause: .hung), place: nil)
        #expect(goesOn && updates.count == 1)
        guard case .connect(let terms) = machine.next(toward: .heard) else { return #expect(Bool(false), "no helper") }
        #expect(terms.isInStep)
        machine.connected()
        guard case .pass(.hear(let piece)) = machine.next(toward: .heard) else {
            return #expect(Bool(false), "not heard")
        }
        #expect(piece.start == .milliseconds(250))
    }

    /// Whatever helpers do and whenever they die: all audio becomes final or is reported as lost, once, and the work ends.
    @Test func anyOrderKeepsThePromises() async {
        let failures = await RandomRuns.failures(of: "sessions with helpers") { seed in
            var random = SplitMix64(seed: seed)
            return (0..<20).flatMap { _ in
                var trial = Trial(random: &random)
                return trial.run(&random)
            }
        }
        #expect(failures.isEmpty, "\(failures)")
    }
}

/// A session with helpers that take audio, make parts of it final and die.
private struct Trial {
    private var machine: HelperMachine
    /// How often a helper dies, of a hundred steps.
    private let deaths: Int
    private var problems: [String] = []
    /// The time through which text is final or audio is lost, as a reader knows it.
    private var known = Duration.zero
    private var end = Duration.zero
    /// The end of the audio that the present helper has.
    private var heard = Duration.zero
    private var isConnected = false

    init(random: inout SplitMix64) {
        machine = HelperMachine(remembering: .seconds(Bool.random(using: &random) ? 2 : 0))
        deaths = Int.random(in: 0...40, using: &random)
    }

    mutating func run(_ random: inout SplitMix64) -> [String] {
        for _ in 0..<Int.random(in: 1...8, using: &random) {
            let frames = Int.random(in: 1...32_000, using: &random)
            let buffer = AudioBuffer(silence: frames, format: .speech, start: end)
            end = buffer.end
            machine.add(buffer, size: 8_000)
            guard reach(Int.random(in: 0..<3, using: &random) == 0 ? .final : .heard, &random) else { return problems }
        }
        if reach(.ended, &random), known < end { problems.append("\(end - known) of audio is neither text nor lost") }
        return problems
    }

    /// - Returns: Whether the session goes on.
    private mutating func reach(_ goal: HelperMachine.Goal, _ random: inout SplitMix64) -> Bool {
        for _ in 0..<10_000 {
            let step = machine.next(toward: goal)
            if case .done = step {
                if goal != .heard, known < end { problems.append("\(goal) came before the text") }
                return true
            }
            if Int.random(in: 0..<100, using: &random) < deaths {
                guard die(&random) else { return false }
                continue
            }
            switch step {
            case .connect:
                if isConnected { problems.append("two helpers") }
                (isConnected, heard) = (true, .zero)
                machine.connected()
            case .pass(.hear(let piece)):
                // Times lie between frames.
                if piece.start > max(known, heard) + .milliseconds(1) {
                    problems.append("audio from \(known) on was left out")
                }
                heard = max(heard, piece.end)
                if Int.random(in: 0..<4, using: &random) == 0 { tell(known + (heard - known) * 0.5) }
            case .pass(.finalize): break
            case .settle:
                tell(heard)
                machine.settled()
            case .done: break
            }
        }
        problems.append("no end")
        return false
    }

    private mutating func tell(_ time: Duration) {
        guard let update = machine.admit(.finalized(through: time)) else { return }
        if let time = update.finalizedThrough {
            if time < known { problems.append("text went back to \(time)") }
            known = time
        }
    }

    private mutating func die(_ random: inout SplitMix64) -> Bool {
        isConnected = false
        let causes: [HelperDeath.Cause] = [.ended(-SIGSEGV), .ended(-SIGKILL), .hung, .garbage]
        let death = HelperDeath(cause: causes.randomElement(using: &random) ?? .hung)
        let place = Bool.random(using: &random) ? heard : nil
        let (updates, goesOn) = machine.died(death, place: place)
        var lost: Range<Duration>?
        for case .interrupted(let interruption) in updates { lost = interruption.lost ?? lost }
        if let lost {
            if lost.lowerBound != known { problems.append("audio from \(lost.lowerBound) is lost, not from \(known)") }
            known = lost.upperBound
        }
        heard = .zero
        return goesOn
    }
}

import DictationCore

/// One thread that runs every task of a simulation, one at a time, and moves the clock when none can run.
final class Simulation: TaskExecutor {
    private struct Sleeper {
        let id: UInt64
        let deadline: Duration
        let isLast: Bool
        let wake: CheckedContinuation<Void, any Error>

        var order: (Duration, Int, UInt64) { (deadline, isLast ? 1 : 0, id) }
    }

    private struct State {
        var now: Duration = .zero
        var jobs = ReadyJobs()
        var sleepers: [Sleeper] = []
        var cancelled: Set<UInt64> = []
        var lastID: UInt64 = 0
        var isFinished = false
        var hasEnded = false
        var mainActor = MainActorProbe()
    }

    private enum Step {
        case run(UnownedJob)
        case wake(Sleeper)
        case cancel(Sleeper)
        case probe(Int)
        case end
    }

    private let state: Monitor<State>
    private let probesMainActor: Bool

    init(seed: UInt64?, probesMainActor: Bool) {
        var initial = State()
        initial.jobs.random = seed.map { SplitMix64(seed: $0) }
        state = Monitor(initial)
        self.probesMainActor = probesMainActor
    }

    var now: Duration { state.change { $0.now } }

    var runtime: DictationRuntime {
        DictationRuntime(
            now: { self.now },
            sleep: { duration throws(CancellationError) in
                do { try await self.sleep(until: self.now + duration) } catch { throw CancellationError() }
            },
            executor: self,
            blockingExecutor: { _ in self })
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let isTaken = state.change { state in
            guard !state.hasEnded else { return false }
            state.jobs.append(job)
            state.mainActor.somethingHappened()
            return true
        }
        // What comes after the end still has to run, so that it can let go of what it holds.
        if !isTaken { BlockingThread(name: "after-virtual").enqueue(ExecutorJob(job)) }
    }

    /// The body is done; the loop ends when nothing can run any more.
    func finish() { state.change { $0.isFinished = true } }

    // MARK: Sleeping

    func sleep(until deadline: Duration, afterEverythingElse isLast: Bool = false) async throws {
        let id = state.change { state in
            state.lastID += 1
            return state.lastID
        }
        defer { state.change { _ = $0.cancelled.remove(id) } }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { wake in
                let isOver = state.change { state in
                    if state.isFinished || state.cancelled.contains(id) { return true }
                    state.sleepers.append(Sleeper(id: id, deadline: deadline, isLast: isLast, wake: wake))
                    state.mainActor.somethingHappened()
                    return false
                }
                if isOver { wake.resume(throwing: CancellationError()) }
            }
        } onCancel: {
            let sleeper = state.change { state -> Sleeper? in
                state.cancelled.insert(id)
                guard let index = state.sleepers.firstIndex(where: { $0.id == id }) else { return nil }
                return state.sleepers.remove(at: index)
            }
            sleeper?.wake.resume(throwing: CancellationError())
        }
    }

    // MARK: The loop

    /// Runs until the body has finished and nothing can run; says why when that can't be.
    func runUntilFinished(within limit: Duration) -> VirtualTimeError? {
        let end = ContinuousClock.now + limit
        while true {
            runReadyJobs(until: end)
            let left = ContinuousClock.now.duration(to: end)
            guard let step = state.first(within: max(.zero, left), nextStep) else {
                stop()
                return .stuck("The body waits for something that nothing can bring about; it is \(now) there.")
            }
            switch step {
            case .run(let job): job.runSynchronously(on: asUnownedTaskExecutor())
            case .wake(let sleeper): sleeper.wake.resume()
            case .cancel(let sleeper): sleeper.wake.resume(throwing: CancellationError())
            case .probe(let number): Task { @MainActor in self.mainActorAnswered(number) }
            case .end: return nil
            }
            if left < .zero {
                stop()
                return .stuck("It took longer than \(limit), and it is \(now) there: something never comes to rest.")
            }
        }
    }

    /// Runs what can run without waiting. The clock is looked at now and then: that takes as long as a short job.
    private func runReadyJobs(until end: ContinuousClock.Instant) {
        var count = 0
        while let job = state.change({ $0.jobs.next() }) {
            job.runSynchronously(on: asUnownedTaskExecutor())
            count += 1
            if count & 0xFF == 0, ContinuousClock.now > end { return }
        }
    }

    private func stop() { state.change { $0.hasEnded = true } }

    private func nextStep(_ state: inout State) -> Step? {
        if let job = state.jobs.next() { return .run(job) }
        if state.isFinished {
            // Whoever still sleeps is cancelled, so that nothing outlives the simulation.
            if let sleeper = state.sleepers.popLast() { return .cancel(sleeper) }
            state.hasEnded = true
            return .end
        }
        if probesMainActor, !state.mainActor.isQuiet { return state.mainActor.ask().map { .probe($0) } }
        guard let index = state.sleepers.indices.min(by: { state.sleepers[$0].order < state.sleepers[$1].order })
        else { return nil }
        let sleeper = state.sleepers.remove(at: index)
        state.now = max(state.now, sleeper.deadline)
        state.mainActor.somethingHappened()
        return .wake(sleeper)
    }

    private func mainActorAnswered(_ number: Int) { state.change { $0.mainActor.answered(number) } }
}

/// Whether the main actor is known to be quiet: it answered several times in a row with nothing happening in between.
private struct MainActorProbe {
    private static let roundsWanted = 3
    private var quietRounds = 0
    private var happenings = 0
    private var isUnderWay = false

    var isQuiet: Bool { quietRounds >= Self.roundsWanted }

    mutating func somethingHappened() {
        happenings += 1
        quietRounds = 0
    }

    mutating func ask() -> Int? {
        guard !isUnderWay else { return nil }
        isUnderWay = true
        return happenings
    }

    mutating func answered(_ asked: Int) {
        isUnderWay = false
        quietRounds = asked == happenings ? quietRounds + 1 : 0
    }
}

/// The jobs that could run: in order, or with a generator in an order drawn from it.
///
/// Not a `FIFO`: that one is generic and another module's, and took an eighth of all the time of a simulation.
private struct ReadyJobs {
    var random: SplitMix64?
    private var jobs: [UnownedJob] = []
    /// Where the first is that has not run; what lies before it is thrown away now and then.
    private var first = 0

    init() {}

    mutating func append(_ job: UnownedJob) { jobs.append(job) }

    mutating func next() -> UnownedJob? {
        guard first < jobs.count else { return nil }
        if var random {
            jobs.swapAt(first, Int.random(in: first..<jobs.count, using: &random))
            self.random = random
        }
        let job = jobs[first]
        first += 1
        if first == jobs.count || first > 1_000 && first > jobs.count / 2 {
            jobs.removeSubrange(..<first)
            first = 0
        }
        return job
    }
}

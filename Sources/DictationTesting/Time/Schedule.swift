/// The schedule of a simulation, as a value: the jobs that can run, the tasks that sleep, and whose turn it is.
struct Schedule {
    /// A task that sleeps until a time.
    struct Sleeper {
        let id: UInt64
        let deadline: Duration
        let isLast: Bool
        let wake: CheckedContinuation<Void, any Error>

        fileprivate var order: (Duration, Int, UInt64) { (deadline, isLast ? 1 : 0, id) }
    }

    /// The next action of the loop.
    enum Step {
        case run(UnownedJob)
        case wake(Sleeper)
        case cancel(Sleeper)
        /// Gives the main actor a turn. The simulation goes on after the turn, or when something happens.
        case giveTurn(goesOn: Bool)
        case end
    }

    private(set) var now: Duration = .zero
    /// Whether the loop is inside a job.
    private(set) var isRunning = false
    /// Whether the body has returned or the limit has passed.
    private(set) var isFinished = false
    /// Whether the loop has ended or is abandoned.
    private(set) var hasEnded = false
    /// The number of closures that keep the clock from moving.
    var holds = 0
    private var random: SplitMix64?
    private let lateness: Duration
    private var jobs = ReadyJobs()
    private var sleepers: [Sleeper] = []
    private var cancelled: Set<UInt64> = []
    private var lastID: UInt64 = 0
    private var mainActor: MainActorTurns?
    /// The time since which a job could always run.
    private var busySince: Duration = .zero

    init(seed: UInt64?, lateness: Duration, alternatesWithMainActor: Bool) {
        random = seed.map { SplitMix64(seed: $0) }
        self.lateness = lateness
        mainActor = alternatesWithMainActor ? MainActorTurns() : nil
    }

    // MARK: Changes from outside the loop

    /// Adds a job and returns `true`, or returns `false` if the loop has ended.
    mutating func append(_ job: UnownedJob) -> Bool {
        guard !hasEnded else { return false }
        jobs.append(job)
        return true
    }

    /// Returns whether the main actor must now get a turn, because something happened while nobody had a turn.
    mutating func asksForTurn() -> Bool { mainActor?.somethingHappened() ?? false }

    mutating func makeID() -> UInt64 {
        lastID += 1
        return lastID
    }

    /// Adds a sleeper and returns `true`, or returns `false` if it must not sleep.
    mutating func add(_ sleeper: Sleeper) -> Bool {
        guard !isFinished, !cancelled.contains(sleeper.id) else { return false }
        sleepers.append(sleeper)
        return true
    }

    /// Cancels a sleep, even before it has begun. Removes and returns its sleeper if there is one.
    mutating func cancelSleep(_ id: UInt64) -> Sleeper? {
        cancelled.insert(id)
        return sleepers.firstIndex { $0.id == id }.map { sleepers.remove(at: $0) }
    }

    mutating func forget(_ id: UInt64) { cancelled.remove(id) }

    /// Records that the body has returned. The loop then cancels all sleepers, and ends when nothing can run.
    mutating func finish() { isFinished = true }

    /// Ends at once, and returns the jobs and sleepers that are left.
    mutating func abandon() -> (jobs: [UnownedJob], sleepers: [Sleeper]) {
        (isFinished, hasEnded) = (true, true)
        defer { sleepers = [] }
        var left: [UnownedJob] = []
        while let job = jobs.popFirst() { left.append(job) }
        return (left, sleepers)
    }

    /// Gives the simulation a turn and returns `true`, or returns `false` if there are no more turns.
    mutating func beginTurn() -> Bool {
        guard !hasEnded else { return false }
        mainActor?.turn = .simulation
        return true
    }

    // MARK: The loop's next action

    /// Returns the next job if nothing else can come before it. Passing on a job costs much less than passing on a
    /// step.
    mutating func nextInOrder() -> UnownedJob? {
        guard random == nil, mainActor == nil else { return nil }
        let job = jobs.popFirst()
        isRunning = job != nil
        return job
    }

    /// Returns the next step; `nil` if there is nothing to do, or if it is not the simulation's turn.
    mutating func next() -> Step? {
        isRunning = false
        if hasEnded { return .end }
        if let mainActor, mainActor.turn != .simulation { return nil }
        if !jobs.isEmpty { return nextWhileBusy() }
        if let mainActor, !mainActor.isQuiet {
            guard let sleeper = popSleeperBeforeMainActor() else { return giveTurn() }
            busySince = now
            return .wake(sleeper)
        }
        if isFinished { return windUp() }
        if holds == 0, let sleeper = popSleeper() {
            busySince = now
            return .wake(sleeper)
        }
        return mainActor == nil ? nil : giveTurn(goesOn: false)
    }

    private mutating func nextWhileBusy() -> Step? {
        if random != nil {
            if let mainActor, mainActor.busyThrough == nil, draw(oneIn: 4) { return giveTurn() }
            if !isFinished, holds == 0, draw(oneIn: 16), let sleeper = popSleeper(through: busySince + lateness) {
                return .wake(sleeper)
            }
        }
        mainActor?.quietTurns = 0
        isRunning = true
        return jobs.pop(&random).map { .run($0) }
    }

    /// Returns a sleeper to wake although something may wait for the main actor. Sometimes the main actor is busy with
    /// other work, and is then late like any task that could run.
    private mutating func popSleeperBeforeMainActor() -> Sleeper? {
        guard !isFinished, holds == 0 else { return nil }
        if mainActor?.busyThrough == nil, draw(oneIn: 64) {
            let end = now + drawnLateness()
            mainActor?.busyThrough = end
        }
        guard let end = mainActor?.busyThrough else { return nil }
        if let sleeper = popSleeper(through: end) { return sleeper }
        mainActor?.busyThrough = nil
        return nil
    }

    /// Cancels the remaining sleepers one by one, so that nothing outlives the simulation.
    private mutating func windUp() -> Step {
        mainActor?.quietTurns = 0
        if let sleeper = sleepers.popLast() { return .cancel(sleeper) }
        hasEnded = true
        return .end
    }

    private mutating func giveTurn(goesOn: Bool = true) -> Step {
        mainActor?.turn = goesOn ? .mainActor : .nobody
        mainActor?.quietTurns += 1
        return .giveTurn(goesOn: goesOn)
    }

    /// Moves the clock to the first sleeper's deadline, unless the deadline is after `latest`. With `latest`, a sleeper
    /// that lets everything else happen first does not wake, because work is ready.
    private mutating func popSleeper(through latest: Duration? = nil) -> Sleeper? {
        guard let index = sleepers.indices.min(by: { sleepers[$0].order < sleepers[$1].order }) else { return nil }
        if let latest, sleepers[index].deadline > latest || sleepers[index].isLast { return nil }
        let sleeper = sleepers.remove(at: index)
        now = max(now, sleeper.deadline)
        mainActor?.quietTurns = 0
        return sleeper
    }

    private mutating func draw(oneIn chances: Int) -> Bool {
        guard var random else { return false }
        defer { self.random = random }
        return Int.random(in: 0..<chances, using: &random) == 0
    }

    private mutating func drawnLateness() -> Duration {
        guard var random else { return .zero }
        defer { self.random = random }
        return lateness * Double.random(in: 0...1, using: &random)
    }
}

/// The turns of the simulation and the main actor, which never run at the same time.
///
/// In its turn, the simulation keeps the main actor waiting. The main actor's turn ends when it has run its waiting
/// jobs. After a few turns in a row in which nothing happened, the main actor counts as quiet.
private struct MainActorTurns {
    enum Turn { case simulation, mainActor, nobody }

    private static let quietTurnsWanted = 4
    var turn = Turn.nobody
    var quietTurns = 0
    /// The time until which the main actor is busy with other work, if it is.
    var busyThrough: Duration?

    var isQuiet: Bool { quietTurns >= Self.quietTurnsWanted }

    mutating func somethingHappened() -> Bool {
        quietTurns = 0
        guard turn == .nobody else { return false }
        turn = .mainActor
        return true
    }
}

/// The jobs that can run, in order or in an order drawn from a generator.
///
/// A `FIFO`, which is generic and from another module, took an eighth of a simulation's time.
private struct ReadyJobs {
    private var jobs: [UnownedJob] = []
    /// The index of the first job that has not run. The jobs before it are removed now and then.
    private var first = 0

    var isEmpty: Bool { first == jobs.count }

    mutating func append(_ job: UnownedJob) { jobs.append(job) }

    mutating func pop(_ random: inout SplitMix64?) -> UnownedJob? {
        if !isEmpty, var generator = random {
            jobs.swapAt(first, Int.random(in: first..<jobs.count, using: &generator))
            random = generator
        }
        return popFirst()
    }

    mutating func popFirst() -> UnownedJob? {
        guard !isEmpty else { return nil }
        let job = jobs[first]
        first += 1
        if first == jobs.count || first > 1_000 && first > jobs.count / 2 {
            jobs.removeSubrange(..<first)
            first = 0
        }
        return job
    }
}

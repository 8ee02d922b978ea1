/// What may happen next in a simulation, as a value: jobs that can run, tasks that sleep, and whose turn it is.
struct Schedule {
    /// A task that waits for a time.
    struct Sleeper {
        let id: UInt64
        let deadline: Duration
        let isLast: Bool
        let wake: CheckedContinuation<Void, any Error>

        fileprivate var order: (Duration, Int, UInt64) { (deadline, isLast ? 1 : 0, id) }
    }

    /// What the loop does next.
    enum Step {
        case run(UnownedJob)
        case wake(Sleeper)
        case cancel(Sleeper)
        /// The main actor runs what waits for it; the simulation goes on after that, or when something happens.
        case giveTurn(goesOn: Bool)
        case end
    }

    private(set) var now: Duration = .zero
    /// Whether the loop is inside a job.
    private(set) var isRunning = false
    /// The body has returned, or the limit has passed.
    private(set) var isFinished = false
    /// The loop has ended, or is left behind.
    private(set) var hasEnded = false
    /// How many closures keep the clock from moving.
    var holds = 0
    private var random: SplitMix64?
    private let lateness: Duration
    private var jobs = ReadyJobs()
    private var sleepers: [Sleeper] = []
    private var cancelled: Set<UInt64> = []
    private var lastID: UInt64 = 0
    private var mainActor: MainActorTurns?
    /// Since when there was always a job that could run.
    private var busySince: Duration = .zero

    init(seed: UInt64?, lateness: Duration, alternatesWithMainActor: Bool) {
        random = seed.map { SplitMix64(seed: $0) }
        self.lateness = lateness
        mainActor = alternatesWithMainActor ? MainActorTurns() : nil
    }

    // MARK: What happens from outside the loop

    /// Takes a job in, unless the loop has ended.
    mutating func append(_ job: UnownedJob) -> Bool {
        guard !hasEnded else { return false }
        jobs.append(job)
        return true
    }

    /// Whether the main actor has to be asked for a turn, because something happened while nobody had one.
    mutating func asksForTurn() -> Bool { mainActor?.somethingHappened() ?? false }

    mutating func makeID() -> UInt64 {
        lastID += 1
        return lastID
    }

    /// Adds a sleeper; `false` when it must not sleep.
    mutating func add(_ sleeper: Sleeper) -> Bool {
        guard !isFinished, !cancelled.contains(sleeper.id) else { return false }
        sleepers.append(sleeper)
        return true
    }

    /// Notes that a sleep is cancelled, also one that has not begun; answers who sleeps already.
    mutating func cancelSleep(_ id: UInt64) -> Sleeper? {
        cancelled.insert(id)
        return sleepers.firstIndex { $0.id == id }.map { sleepers.remove(at: $0) }
    }

    mutating func forget(_ id: UInt64) { cancelled.remove(id) }

    /// The body is done; what still sleeps is cancelled, and the loop ends when nothing can run.
    mutating func finish() { isFinished = true }

    /// Ends at once; answers what can't run or sleep here any more.
    mutating func abandon() -> (jobs: [UnownedJob], sleepers: [Sleeper]) {
        (isFinished, hasEnded) = (true, true)
        defer { sleepers = [] }
        var left: [UnownedJob] = []
        while let job = jobs.popFirst() { left.append(job) }
        return (left, sleepers)
    }

    /// The main actor waits while the simulation has its turn; `false` when there are no more turns.
    mutating func beginTurn() -> Bool {
        guard !hasEnded else { return false }
        mainActor?.turn = .simulation
        return true
    }

    // MARK: What the loop does next

    /// The next job where nothing else can come before it. A step is much dearer to hand on than a job.
    mutating func nextInOrder() -> UnownedJob? {
        guard random == nil, mainActor == nil else { return nil }
        let job = jobs.popFirst()
        isRunning = job != nil
        return job
    }

    /// `nil` when there is nothing to do, or it is not the simulation's turn.
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

    /// A sleeper that wakes although something may wait for the main actor: now and then that one is busy elsewhere, and
    /// is late like a task that could run.
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

    /// Whoever still sleeps is cancelled, so that nothing outlives the simulation.
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

    /// Moves the clock to the first sleeper's deadline, unless that is too late. One that lets everything else happen
    /// first does not wake while work is ready.
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

/// The simulation and the main actor take turns, so that neither ever runs beside the other.
///
/// In its turn the simulation keeps the main actor waiting. The main actor's turn ends when it has run what was waiting
/// for it. After a few turns in a row in which nothing happened, the main actor is taken to be quiet.
private struct MainActorTurns {
    enum Turn { case simulation, mainActor, nobody }

    private static let quietTurnsWanted = 4
    var turn = Turn.nobody
    var quietTurns = 0
    /// Until when it runs something else, when it does.
    var busyThrough: Duration?

    var isQuiet: Bool { quietTurns >= Self.quietTurnsWanted }

    mutating func somethingHappened() -> Bool {
        quietTurns = 0
        guard turn == .nobody else { return false }
        turn = .mainActor
        return true
    }
}

/// The jobs that could run: in order, or with a generator in an order drawn from it.
///
/// Not a `FIFO`: that one is generic and another module's, and took an eighth of all the time of a simulation.
private struct ReadyJobs {
    private var jobs: [UnownedJob] = []
    /// Where the first is that has not run; what lies before it is thrown away now and then.
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

import DictationCore

/// A thread that runs every task of a simulation, one at a time, and moves the clock when no task can run.
final class Simulation: TaskExecutor {
    private let schedule: Monitor<Schedule>
    private let hasEnded = Monitor(false)
    /// Whether another turn follows by itself. Set at the end of the simulation's turn, for the waiting main actor.
    private let turnEnd = Monitor<Bool?>(nil)
    /// Runs jobs that arrive after the end, so that they can release their resources.
    private let afterEnd = Monitor<BlockingThread?>(nil)

    init(seed: UInt64?, lateness: Duration, alternatesWithMainActor: Bool) {
        schedule = Monitor(
            Schedule(seed: seed, lateness: lateness, alternatesWithMainActor: alternatesWithMainActor))
    }

    var now: Duration { schedule.change { $0.now } }

    var runtime: DictationRuntime {
        DictationRuntime(
            now: { self.now },
            sleep: { duration throws(CancellationError) in
                do { try await self.sleep(for: duration) } catch { throw CancellationError() }
            },
            executor: self,
            blockingExecutor: { _ in self })
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if !change({ $0.append(job) }) { runAfterEnd(job) }
    }

    /// Records that the body has returned. The loop ends when nothing can run.
    func finish() { schedule.change { $0.finish() } }

    /// Holds the clock for `true`, and releases it for `false`.
    func hold(_ isHeld: Bool) { change { $0.holds += isHeld ? 1 : -1 } }

    /// Changes the schedule from outside the loop.
    private func change<Answer>(_ body: (inout Schedule) -> Answer) -> Answer {
        let (answer, asksForTurn) = schedule.change { (body(&$0), $0.asksForTurn()) }
        if asksForTurn { Task { @MainActor in takeTurn() } }
        return answer
    }

    private func runAfterEnd(_ job: UnownedJob) {
        let thread = afterEnd.change { thread in
            let made = thread ?? BlockingThread(name: "after-virtual")
            thread = made
            return made
        }
        thread.enqueue(ExecutorJob(job))
    }

    // MARK: Sleeping

    func sleep(for duration: Duration, afterEverythingElse isLast: Bool = false) async throws {
        try await sleep(until: now + duration.onTimeline, afterEverythingElse: isLast)
    }

    /// Sleeps. If the body returns first, cancels the task too, so that a loop which ignores the error can see the end.
    func sleep(until deadline: Duration, afterEverythingElse isLast: Bool = false) async throws {
        let id = schedule.change { $0.makeID() }
        defer {
            let isFinished = schedule.change { schedule in
                schedule.forget(id)
                return schedule.isFinished
            }
            if isFinished { withUnsafeCurrentTask { $0?.cancel() } }
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { wake in
                let sleeper = Schedule.Sleeper(id: id, deadline: deadline.onTimeline, isLast: isLast, wake: wake)
                if !change({ $0.add(sleeper) }) { wake.resume(throwing: CancellationError()) }
            }
        } onCancel: {
            schedule.change { $0.cancelSleep(id) }?.wake.resume(throwing: CancellationError())
        }
    }

    // MARK: The loop

    /// Runs until the body has returned and nothing can run. Returns an error if the limit passes first.
    ///
    /// A separate thread watches the limit, because the loop's thread may be inside a job that never returns.
    func run(within limit: Duration) async -> VirtualTimeError? {
        Task(executorPreference: BlockingThread(name: "virtual-time")) { self.loop() }
        let middle = await Task(executorPreference: BlockingThread(name: "virtual-limit")) { [self] () -> Duration? in
            func ends() -> Bool { hasEnded.first(within: limit / 2) { $0 ? true : nil } ?? false }
            if ends() { return nil }
            let middle = now
            return ends() ? nil : middle
        }.value
        return middle.map { abandon(limit, movesSince: $0) }
    }

    private func loop() {
        while let step = schedule.first({ $0.next() }) {
            switch step {
            case .run(let job):
                job.runSynchronously(on: asUnownedTaskExecutor())
                while let job = schedule.change({ $0.nextInOrder() }) {
                    job.runSynchronously(on: asUnownedTaskExecutor())
                }
            case .wake(let sleeper): sleeper.wake.resume()
            case .cancel(let sleeper): sleeper.wake.resume(throwing: CancellationError())
            case .giveTurn(let goesOn): turnEnd.change { $0 = goesOn }
            case .end:
                turnEnd.change { $0 = false }
                hasEnded.change { $0 = true }
                return
            }
        }
    }

    /// Abandons the loop, and lets its waiting jobs run to their end elsewhere.
    private func abandon(_ limit: Duration, movesSince middle: Duration) -> VirtualTimeError {
        let (isBusy, now, left) = schedule.change { schedule in
            let isBusy = schedule.isRunning
            return (isBusy, schedule.now, schedule.abandon())
        }
        turnEnd.change { $0 = false }
        left.jobs.forEach(runAfterEnd)
        for sleeper in left.sleepers { sleeper.wake.resume(throwing: CancellationError()) }
        if now > middle {
            return .stuck(
                "It did not end within \(limit) of real time. Its clock is at \(now) and moves: give a long run a longer realTimeLimit."
            )
        }
        return .stuck(
            isBusy || !left.jobs.isEmpty
                ? "It did not end within \(limit): at \(now), a task blocks its thread or never stops working."
                : "At \(now), the body waits for something that can't happen any more.")
    }

    /// Keeps the main actor waiting while the simulation has its turn. Before the next turn, the main actor runs its
    /// jobs.
    @MainActor private func takeTurn() {
        turnEnd.change { $0 = nil }
        guard schedule.change({ $0.beginTurn() }) else { return }
        if turnEnd.first({ $0 }) == true { Task { @MainActor in takeTurn() } }
    }
}

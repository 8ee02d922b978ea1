import DictationCore

/// Runs code in virtual time: an hour of dictation takes a moment, and every run is the same.
///
///     try await VirtualTime.run { clock in
///         let session = DictationSession(engine: engine, capturer: capturer)
///         try await session.start()
///         await clock.advance(by: .seconds(3600))
///         let transcript = try await session.stop()
///     }
///
/// What is made inside takes its time and its threads from the simulation: tasks run one at a time on one thread, and
/// the clock moves to the next waiting task when nothing else can run. When the body has returned, tasks that still
/// sleep are cancelled.
///
/// ## What is the same in every run
///
/// The order of all that the simulation runs, and the time at which it does: the body, and tasks that are started through
/// `DictationRuntime`, by the library or by your code. When the body is isolated to the main actor, what the body and
/// the simulation's tasks run there is part of that order: the simulation and the main actor take turns, and time moves
/// when both are quiet. Other users of the main actor, such as tests beside this one, change nothing.
///
/// Not part of it is what runs elsewhere: a plain `Task { }` off the main actor, a detached one, `Task.sleep`, threads.
/// A plain task on the main actor begins in order, but comes back from each wait by way of Swift's shared pool; write
/// `DictationRuntime.current.task { @MainActor @Sendable in … }` to have all of it in order.
///
/// Virtual time can't see what a task waits for, and **goes on while the body waits for things outside**, by seconds in
/// a few milliseconds. Wait for them inside `ManualClock.hold(while:)`.
///
/// With a seed, the order of tasks that could run at the same moment is drawn from it. Sometimes a task that could run is
/// also a little late, as on a busy machine: time moves on to another task's deadline before it starts. So is the main
/// actor, when it takes turns. The same seed gives the same order and the same times.
public enum VirtualTime: Sendable {
    /// Runs a body in virtual time.
    ///
    /// - Parameters:
    ///   - seed: Draws the order of tasks. Without one they run in the order in which they became able to.
    ///   - lateness: With a seed, how late a task that could run may start in virtual time. `ManualClock.advance(by:)`
    ///     still returns after everything due by then. Give it a time-out's length to see time-outs expire while work
    ///     is ready.
    ///   - realTimeLimit: How long the run may take in real time.
    ///   - body: What runs.
    /// - Throws: What the body throws; `VirtualTimeError.stuck` when the limit passes, because the body waits for
    ///   something that nothing can bring about, or because a task blocks its thread or never comes to rest. Tasks are
    ///   then cancelled and left behind. A body that blocks the main actor also keeps a caller on the main actor waiting.
    public static func run<Answer: Sendable>(
        seed: UInt64? = nil, lateness: Duration = .milliseconds(10), realTimeLimit: Duration = .seconds(60),
        _ body: @escaping @Sendable @isolated(any) (ManualClock) async throws -> Answer
    ) async throws -> Answer {
        let simulation = Simulation(
            seed: seed, lateness: max(.zero, lateness.onTimeline),
            alternatesWithMainActor: body.isolation === MainActor.shared)
        let clock = ManualClock(simulation: simulation)
        let work = DictationRuntime.$current.withValue(simulation.runtime) {
            Task(executorPreference: simulation) {
                defer { simulation.finish() }
                return try await body(clock)
            }
        }
        let stuck = await withTaskCancellationHandler {
            await simulation.run(within: realTimeLimit)
        } onCancel: {
            work.cancel()
        }
        if let stuck {
            // So that it releases what it holds.
            work.cancel()
            throw stuck
        }
        return try await work.value
    }
}

/// Why virtual time could not go on.
public enum VirtualTimeError: Error, Hashable, CustomStringConvertible {
    /// Nothing could happen any more, or too much did.
    case stuck(String)

    /// The reason in words.
    public var description: String {
        switch self {
        case .stuck(let reason): "Virtual time is stuck: \(reason)"
        }
    }
}

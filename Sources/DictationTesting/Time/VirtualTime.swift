import DictationCore

/// Runs code in virtual time: minutes of dictation take a moment, and every run is the same.
///
///     try await VirtualTime.run { clock in
///         let session = DictationSession(engine: ScriptedEngine(), capturer: ScriptedCapturer([.silence(for: .seconds(3600))]))
///         try await session.start()
///         await clock.advance(by: .seconds(3600))
///         let transcript = await session.stop()
///     }
///
/// Objects that are created inside the body take their time and their threads from the simulation. Tasks run one at a
/// time on one thread. When no task can run, the clock moves to the time of the next sleeping task. When the body
/// returns, the simulation cancels the tasks that still sleep.
///
/// ## Write a test that repeats
///
/// Every run has the same order and the same times for everything that the simulation runs: the body, and the tasks
/// that the library or your code starts through `DictationRuntime`. If the body is isolated to the main actor, its work
/// and the tasks' work on the main actor are part of this order. The simulation and the main actor then take turns, and
/// time moves when both are quiet. Other users of the main actor, such as tests that run at the same time, make no
/// difference.
///
/// Code that runs elsewhere has no fixed order: a plain `Task { }` off the main actor, a detached task, `Task.sleep`
/// and threads. A plain task on the main actor begins in order, but returns from each wait through Swift's shared pool.
/// Use `DictationRuntime.current.task { @MainActor @Sendable in … }` to keep all of it in order.
///
/// Virtual time can't see why a task waits. **It goes on while the body waits for something outside the simulation**,
/// and passes seconds in a few milliseconds. Wait for such things inside ``ManualClock/hold(while:)``.
///
/// A seed draws the order of the tasks that could run at the same moment. It also makes some ready tasks start late, as
/// on a busy machine: before they start, the clock moves on to the deadline of a sleeping task. If the body is isolated
/// to the main actor, work on the main actor can be late in the same way. The same seed draws the same order and the
/// same times.
public enum VirtualTime: Sendable {
    /// Runs a closure in virtual time.
    ///
    /// - Parameters:
    ///   - seed: The seed for the order of tasks. Without a seed, tasks run in the order in which they became ready.
    ///   - lateness: The longest virtual time by which a seed makes a ready task start late.
    ///     ``ManualClock/advance(by:)`` waits for late tasks too. Pass the length of a timeout to see the timeout expire
    ///     while work is ready.
    ///   - realTimeLimit: The time limit for the run in real time. An hour of a scripted microphone takes about ten seconds
    ///     in a debug build.
    ///   - body: The closure to run.
    /// - Returns: The closure's result.
    /// - Throws: The closure's error, or ``VirtualTimeError/stuck(_:)`` when the limit passes. The run then cancels its
    ///   tasks and does not wait for them. A body that blocks the main actor also blocks a caller on the main actor.
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
            // A cancelled body can release its resources.
            work.cancel()
            throw stuck
        }
        return try await work.value
    }
}

/// The error of a run in virtual time that can't go on.
public enum VirtualTimeError: Error, Hashable, CustomStringConvertible {
    /// The body waits for something that can't happen, or a task blocks its thread or never stops working.
    case stuck(String)

    /// The error in words.
    public var description: String {
        switch self {
        case .stuck(let reason): "Virtual time is stuck: \(reason)"
        }
    }
}

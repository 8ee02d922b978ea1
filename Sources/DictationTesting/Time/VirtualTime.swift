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
/// the clock moves to the next waiting task when nothing else can run. With a seed, the order of tasks that could run
/// at the same moment is drawn from it; the same seed gives the same order.
///
/// When the body is isolated to the main actor, time also waits for the main actor. Tasks that the code under test
/// starts by itself, with a plain `Task { }` or a thread, run outside: await them rather than count on the clock.
public enum VirtualTime: Sendable {
    /// Runs a body in virtual time.
    ///
    /// Throws `VirtualTimeError.stuck` when the body waits for something that nothing can bring about, or when it takes
    /// longer than the limit in real time.
    public static func run<Answer: Sendable>(
        seed: UInt64? = nil, realTimeLimit: Duration = .seconds(60),
        _ body: @escaping @Sendable @isolated(any) (ManualClock) async throws -> Answer
    ) async throws -> Answer {
        let simulation = Simulation(seed: seed, probesMainActor: body.isolation === MainActor.shared)
        let clock = ManualClock(simulation: simulation)
        let answer = Watched<Result<Answer, any Error>?>(nil)
        let work = DictationRuntime.$current.withValue(simulation.runtime) {
            Task(executorPreference: simulation) {
                let result: Result<Answer, any Error>
                do { result = .success(try await body(clock)) } catch { result = .failure(error) }
                answer.change { $0 = $0 ?? result }
                simulation.finish()
            }
        }
        let thread = BlockingThread(name: "virtual-time")
        let loop = Task(executorPreference: thread) { simulation.runUntilFinished(within: realTimeLimit) }
        let stuck = await withTaskCancellationHandler {
            await loop.value
        } onCancel: {
            work.cancel()
        }
        if let stuck {
            answer.change { $0 = $0 ?? .failure(stuck) }
            // So that it lets go of what it holds.
            work.cancel()
        }
        guard let result = answer.value else { throw VirtualTimeError.stuck("The body did not finish.") }
        return try result.get()
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

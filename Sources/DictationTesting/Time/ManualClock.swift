import DictationCore

/// A clock of virtual time, which stands still while code runs and moves when everything waits.
///
/// ``VirtualTime/run(seed:lateness:realTimeLimit:_:)`` passes a clock to its body.
public struct ManualClock: Clock, Sendable {
    let simulation: Simulation

    /// A moment in virtual time.
    public struct Instant: InstantProtocol {
        /// The time since the beginning of the simulation.
        public var offset: Duration

        /// Returns the instant that is later by a duration.
        public func advanced(by duration: Duration) -> Instant {
            Instant(offset: offset.onTimeline + duration.onTimeline)
        }
        /// Returns the time from this instant to another.
        public func duration(to other: Instant) -> Duration { other.offset.onTimeline - offset.onTimeline }
        /// Compares two instants by time.
        public static func < (a: Instant, b: Instant) -> Bool { a.offset < b.offset }
    }

    /// The current virtual time.
    public var now: Instant { Instant(offset: simulation.now) }
    /// The smallest step, which is zero.
    public var minimumResolution: Duration { .zero }

    /// Waits until virtual time reaches the deadline.
    public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try await simulation.sleep(until: deadline.offset)
    }

    /// Advances the time, and returns when everything due by then has happened, in order.
    public func advance(by duration: Duration) async {
        try? await simulation.sleep(for: duration, afterEverythingElse: true)
    }

    /// Returns when everything that needs no time has happened.
    public func settle() async { await advance(by: .zero) }

    /// Runs a closure while virtual time stands still.
    ///
    /// Use it to wait for something outside the simulation, such as a server or a plain `Task`.
    ///
    ///     try await VirtualTime.run { clock in
    ///         try await clock.hold { try await Task.sleep(for: .milliseconds(20)) }
    ///     }
    ///
    /// Meanwhile, the simulation's tasks run as long as they need no time. A closure that waits for something that
    /// needs virtual time never returns.
    ///
    /// - Parameter body: The closure to run.
    /// - Returns: The closure's result.
    /// - Throws: The closure's error.
    public func hold<Answer, Failure: Error>(
        while body: () async throws(Failure) -> Answer
    ) async throws(Failure) -> Answer {
        simulation.hold(true)
        defer { simulation.hold(false) }
        return try await body()
    }
}

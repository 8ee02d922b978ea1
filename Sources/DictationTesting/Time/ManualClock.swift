import DictationCore

/// Virtual time: it stands still while code runs, and moves when everything waits.
///
/// `VirtualTime.run` hands one to its body.
public struct ManualClock: Clock, Sendable {
    let simulation: Simulation

    /// A moment in virtual time.
    public struct Instant: InstantProtocol {
        /// The time since the beginning.
        public var offset: Duration

        /// The instant that lies `duration` later.
        public func advanced(by duration: Duration) -> Instant {
            Instant(offset: offset.onTimeline + duration.onTimeline)
        }
        /// The time from this instant to the other.
        public func duration(to other: Instant) -> Duration { other.offset.onTimeline - offset.onTimeline }
        /// Orders by time.
        public static func < (a: Instant, b: Instant) -> Bool { a.offset < b.offset }
    }

    /// The present virtual time.
    public var now: Instant { Instant(offset: simulation.now) }
    /// Virtual time has no smallest step.
    public var minimumResolution: Duration { .zero }

    /// Waits until virtual time reaches the deadline.
    public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try await simulation.sleep(until: deadline.offset)
    }

    /// Lets time go on: everything due by then happens, in order, before this returns.
    public func advance(by duration: Duration) async {
        try? await simulation.sleep(for: duration, afterEverythingElse: true)
    }

    /// Lets everything happen that needs no time.
    public func settle() async { await advance(by: .zero) }

    /// Runs a closure while virtual time stands still: for what waits outside, such as a server or a plain `Task`.
    ///
    ///     try await VirtualTime.run { clock in
    ///         try await clock.hold { try await Task.sleep(for: .milliseconds(20)) }
    ///     }
    ///
    /// Tasks of the simulation run meanwhile as long as they need no time. A closure that waits for something that needs
    /// virtual time never returns.
    public func hold<Answer, Failure: Error>(
        while body: () async throws(Failure) -> Answer
    ) async throws(Failure) -> Answer {
        simulation.hold(true)
        defer { simulation.hold(false) }
        return try await body()
    }
}

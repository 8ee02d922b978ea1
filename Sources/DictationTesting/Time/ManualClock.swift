/// Virtual time: it stands still while code runs, and moves when everything waits.
///
/// `VirtualTime.run` hands one to its body.
public struct ManualClock: Clock, Sendable {
    let simulation: Simulation

    /// A moment in virtual time.
    public struct Instant: InstantProtocol {
        /// The time since the beginning.
        public var offset: Duration

        public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        public func duration(to other: Instant) -> Duration { other.offset - offset }
        public static func < (a: Instant, b: Instant) -> Bool { a.offset < b.offset }
    }

    public var now: Instant { Instant(offset: simulation.now) }
    public var minimumResolution: Duration { .zero }

    public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try await simulation.sleep(until: deadline.offset)
    }

    /// Lets time go on: everything due by then happens, in order, before this returns.
    public func advance(by duration: Duration) async {
        try? await simulation.sleep(until: now.offset + duration, afterEverythingElse: true)
    }

    /// Lets everything happen that needs no time.
    public func settle() async { await advance(by: .zero) }
}

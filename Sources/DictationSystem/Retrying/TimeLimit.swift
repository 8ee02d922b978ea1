import DictationCore

/// The time since some moment in the past, on a clock that nobody sets. For threads that wait by themselves; everything
/// else asks its runtime.
package enum SystemClock {
    package static var now: Duration { DictationRuntime.system.now() }
}

/// A moment until which a call waits.
package struct TimeLimit: Sendable {
    private let end: Duration

    package init(_ limit: Duration) { end = SystemClock.now + min(limit, .longestWait) }

    package var isOver: Bool { SystemClock.now >= end }
    package var left: Duration { max(.zero, end - SystemClock.now) }

    /// The time that is left, as `poll` wants it.
    package var milliseconds: Int32 {
        Int32(min((left / .milliseconds(1)).rounded(.up), Double(Int32.max)))
    }
}

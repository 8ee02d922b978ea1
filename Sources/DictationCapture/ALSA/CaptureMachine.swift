import DictationCore

/// What a capture thread makes of a device that fails: a value with no clock, no thread and no device.
///
/// Every failure belongs to an outage, which is reported once and ends with the next audio. A device that needs too many
/// recoveries is opened again, and one that does not come back is given up. ``CaptureLoop`` tells what happens, and does what
/// is returned.
struct CaptureMachine: Sendable {
    /// A time without audio.
    struct Outage: Sendable, Equatable {
        var cause: AudioGap.Cause
        /// What listeners were told; `nil` if it is too short to tell them.
        var interruption: CaptureEvent.InterruptionCause?
    }

    /// What became of a device that delivers nothing.
    struct Silence: Sendable, Equatable {
        /// What to tell listeners.
        var report: CaptureEvent.InterruptionCause?
        /// Whether to open the device again.
        var isTooLong = false
    }

    private enum Phase {
        case healthy
        /// Since when nothing works, and how often the device was opened again meanwhile.
        case failing(since: Duration, attempts: Int)
        case givenUp
    }

    private let settings: CaptureLoop.Settings
    private var phase = Phase.healthy
    private(set) var outage: Outage?
    private var lastData: Duration
    private var lastOpened: Duration
    /// How often the device was ready with nothing to read since the last audio.
    private var vainWakes = 0
    private var recoveries: (count: Int, since: Duration) = (0, .zero)

    private static let backOff = BackOff(first: .milliseconds(100), longest: .seconds(2))

    init(_ settings: CaptureLoop.Settings, at now: Duration) {
        self.settings = settings
        (lastData, lastOpened) = (now, now)
    }

    var hasGivenUp: Bool { if case .givenUp = phase { true } else { false } }

    /// Whether the device has not been ready in vain since the last audio, so that its clock can be compared.
    var isFirstInVain: Bool { outage == nil && vainWakes == 0 }

    /// The device was opened.
    mutating func open(at now: Duration) { lastOpened = now }

    /// Audio has arrived.
    mutating func receive(at now: Duration) {
        lastData = now
        vainWakes = 0
        if !hasGivenUp { phase = .healthy }
    }

    /// Ends the outage, whose audio is reported as a gap.
    mutating func endOutage() -> Outage? {
        defer { outage = nil }
        return outage
    }

    /// Begins an outage, or gives the present one a more precise cause.
    ///
    /// - Returns: What to tell listeners.
    mutating func begin(_ new: Outage) -> CaptureEvent.InterruptionCause? {
        let old = outage
        // A suspended or lost device delivers nothing at first. That is not a new interruption.
        if let old, old.interruption != nil, new.interruption == nil || new.interruption == .noData { return nil }
        if old?.interruption == .deviceLost { return nil }
        outage = new
        return new.interruption == old?.interruption ? nil : new.interruption
    }

    /// Looks for how long an open device has delivered nothing.
    mutating func lookForData(at now: Duration) -> Silence {
        let silence = now - lastData
        var found = Silence()
        if silence >= settings.noDataLimit { found.report = begin(Outage(cause: .stalled, interruption: .noData)) }
        found.isTooLong = silence >= settings.reopenAfter && now - lastOpened >= settings.reopenAfter
        return found
    }

    /// The device was ready, with nothing to read.
    ///
    /// - Returns: Whether to rest a little, because some devices say so a hundred thousand times a second.
    mutating func wakeInVain() -> Bool {
        vainWakes += 1
        return vainWakes > 2
    }

    /// Whether to recover the device once more. A device that needs too many recoveries does not work.
    mutating func mayRecover(at now: Duration) -> Bool {
        if now - recoveries.since >= .seconds(1) { recoveries = (0, now) }
        recoveries.count += 1
        return recoveries.count <= settings.recoveriesPerSecond
    }

    /// The device is lost.
    ///
    /// - Returns: What to tell listeners.
    mutating func lose(at now: Duration) -> CaptureEvent.InterruptionCause? {
        if case .healthy = phase { phase = .failing(since: now, attempts: 0) }
        return begin(Outage(cause: .unplugged, interruption: .deviceLost))
    }

    /// Returns how long to wait before the device is opened again; `nil` to give it up.
    mutating func retry(at now: Duration) -> Duration? {
        guard case .failing(let since, let attempts) = phase, now - since < settings.givesUpAfter else {
            phase = .givenUp
            return nil
        }
        phase = .failing(since: since, attempts: attempts + 1)
        return Self.backOff.delay(afterFailures: attempts + 1)
    }
}

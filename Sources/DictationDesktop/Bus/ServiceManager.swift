#if SystemBus
import CSystemd
import DictationCore
public import DictationService

/// Talks to systemd, if it has started this program: sockets, readiness and the watchdog.
///
/// In a program that systemd has not started, it does nothing.
public struct ServiceManager: Sendable {
    /// The sockets that systemd opened for this program, for the first client. Close each of them, or open a listener on it.
    public let sockets: [Int32]

    /// Looks at what systemd has passed to this program.
    public init() {
        // The program's own children have other numbers, so they don't take the sockets for theirs.
        let count = sd_listen_fds(0)
        sockets = (0..<max(0, count)).map { Int32(SD_LISTEN_FDS_START) + $0 }
    }

    /// Says that clients are served now. The model may still be loading: a take begins all the same, and its audio waits.
    public func ready() { sd_notify(0, "READY=1") }

    /// Says that the service is about to end.
    public func stopping() { sd_notify(0, "STOPPING=1") }

    /// Reports to the watchdog for as long as the service exists and answers.
    ///
    /// If the service hangs, systemd starts it again. Does nothing if the unit has no `WatchdogSec`.
    public func report(_ service: DictationService) {
        var microseconds: UInt64 = 0
        guard sd_watchdog_enabled(0, &microseconds) > 0 else { return }
        let interval = Duration.microseconds(Int64(clamping: microseconds / 2))
        let runtime = DictationRuntime.current
        runtime.task { [weak service] in
            while await service?.answers() == true {
                sd_notify(0, "WATCHDOG=1")
                do { try await runtime.sleep(interval) } catch { return }
            }
        }
    }
}

extension DictationService {
    fileprivate func answers() async -> Bool { (try? await perform(.status)) != nil }
}
#else
/// Talks to systemd, if it has started this program. This build leaves it out.
@available(*, unavailable, message: "Enable the “SystemBus” trait of swift-dictation.")
public struct ServiceManager: Sendable {
    /// Unavailable in this build.
    public init() {}
}
#endif

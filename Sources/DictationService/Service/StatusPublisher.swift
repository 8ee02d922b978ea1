package import DictationCore
import Synchronization

/// Shows the newest status to any number of readers. A reader that is slow misses the statuses in between.
package final class StatusPublisher: Sendable {
    private struct Shown: Sendable {
        var status: ServiceStatus
        /// The number of changes so far.
        var number: UInt64 = 0
        var isClosed = false
    }

    private let shown: Watched<Shown>

    package init(_ status: ServiceStatus) { shown = Watched(Shown(status: status)) }

    package var status: ServiceStatus { shown.value.status }

    /// Shows a status, but keeps the journal's error and the last delivery.
    package func show(_ status: ServiceStatus) {
        update { shown in
            let (journalError, delivery) = (shown.journalError, shown.delivery)
            shown = status
            (shown.journalError, shown.delivery) = (journalError, delivery)
        }
    }

    /// Shows the usual profile, unless a take is under way.
    package func show(usual profile: DictationProfile) {
        update { shown in
            guard !shown.isActive, shown.state != .finalizing else { return }
            let idle = ServiceStatus(profile)
            (shown.engine, shown.model, shown.locale, shown.profile) = (idle.engine, idle.model, idle.locale, nil)
        }
    }

    package func show(journalError: DictationError?) { update { $0.journalError = journalError } }

    package func show(_ delivery: TextDelivery) { update { $0.delivery = delivery } }

    private func update(_ change: (inout ServiceStatus) -> Void) {
        // Most levels in silence are equal, and a change for nothing would wake every reader.
        var status = shown.value.status
        let before = status
        change(&status)
        guard status != before else { return }
        shown.change { shown in
            change(&shown.status)
            shown.number += 1
        }
    }

    /// Ends the readers' sequences.
    package func close() { shown.change { $0.isClosed = true } }

    /// Waits until no take is under way; `false` if the service is released or the task is cancelled first.
    package func waitUntilIdle() async -> Bool {
        let isIdle = await shown.first { shown in
            shown.isClosed ? false : shown.status.isActive || shown.status.state == .finalizing ? nil : true
        }
        return isIdle ?? false
    }

    /// Returns a sequence that begins with the present status.
    package func updates() -> ServiceStatus.Updates {
        ServiceStatus.Updates { [shown] in
            let read = Mutex<UInt64?>(nil)
            return {
                let last = read.withLock { $0 }
                let next = await shown.first { $0.isClosed || $0.number != last ? $0 : nil }
                guard let next, !next.isClosed else { return nil }
                read.withLock { $0 = next.number }
                return next.status
            }
        }
    }
}

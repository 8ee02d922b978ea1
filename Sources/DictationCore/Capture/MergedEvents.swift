/// The events that a capture feed had no room for, merged into a few.
///
/// There is one gap for each cause, as long as all gaps merged into it. The gaps lie side by side and cover the lost
/// audio. Of other events, the last of each kind stays, and the last interruption of each cause. They keep their order.
struct MergedEvents {
    private enum Kind: Hashable {
        case gap(AudioGap.Cause)
        case interrupted(CaptureEvent.InterruptionCause)
        case resumed
        case routeChanged
    }

    private var events: [(kind: Kind, event: CaptureEvent)] = []

    var isEmpty: Bool { events.isEmpty }

    /// Adds an event that is not audio. A gap must begin where the last one ended.
    mutating func add(_ event: CaptureEvent) {
        switch event {
        case .gap(let gap): add(gap)
        case .interrupted(let cause): replace(.interrupted(cause), event)
        case .resumed: replace(.resumed, event)
        case .routeChanged: replace(.routeChanged, event)
        case .buffer: break
        }
    }

    mutating func removeAll() -> [CaptureEvent] {
        defer { events = [] }
        return events.map(\.event)
    }

    private mutating func replace(_ kind: Kind, _ event: CaptureEvent) {
        events.removeAll { $0.kind == kind }
        events.append((kind, event))
    }

    private mutating func add(_ gap: AudioGap) {
        guard let index = events.firstIndex(where: { $0.kind == .gap(gap.cause) }) else {
            return events.append((.gap(gap.cause), .gap(gap)))
        }
        // The gaps after it move back.
        let length = gap.range.upperBound - gap.range.lowerBound
        for later in events.indices[index...] {
            guard case .gap(var moved) = events[later].event else { continue }
            if later == index {
                moved.range = moved.range.lowerBound..<moved.range.upperBound + length
                moved.frameCount = moved.frameCount.adding(clamping: gap.frameCount)
            } else {
                moved.range = moved.range.lowerBound + length..<moved.range.upperBound + length
            }
            events[later].event = .gap(moved)
        }
    }
}

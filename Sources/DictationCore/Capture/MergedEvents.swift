/// What a capture feed has no room for, merged so that it is bounded and no kind of it is lost.
///
/// There is one gap for each cause, as long as all that were merged into it; the gaps lie side by side in the place of
/// what was lost. Of the other events there is the last of each kind, and the last interruption of each cause; they keep
/// the order in which they happened.
struct MergedEvents {
    private enum Kind: Hashable {
        case gap(AudioGap.Cause)
        case interrupted(InterruptionCause)
        case resumed
        case routeChanged
    }

    private var events: [(kind: Kind, event: CaptureEvent)] = []

    var isEmpty: Bool { events.isEmpty }

    /// Adds an event that is not audio. A gap begins where the one before it ended.
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
        // The gaps behind make way.
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

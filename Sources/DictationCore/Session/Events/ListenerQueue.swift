/// The events that wait for one listener, in order.
///
/// The queue is bounded: texts and levels merge, and a listener that is too slow gets a snapshot in place of the events
/// it missed. The ends of takes are always kept.
struct ListenerQueue: Sendable {
    private struct Entry: Sendable {
        var order: Int
        var event: DictationEvent
    }

    enum Next: Sendable {
        case event(DictationEvent)
        case snapshot
        case end
    }

    private static let limit = 256
    private var entries = FIFO<Entry>()
    private var level: Entry?
    private var order = 0
    private var finals = 0
    private var needsSnapshot = false
    private var isFinished = false
    /// Whether the listener asked for another event while the queue was empty, so that it has handled all before.
    private var isReaderWaiting = false

    var isDealtWith: Bool { isFinished || isReaderWaiting && !hasNext }
    var hasNext: Bool { needsSnapshot || isFinished || !entries.isEmpty || level != nil }

    mutating func add(_ event: DictationEvent) {
        guard !isFinished, !needsSnapshot || event.kind.isEnd else { return }
        order += 1
        switch event.kind {
        case .level: level = Entry(order: order, event: event)
        case .text(let change): add(change, event)
        default: entries.append(Entry(order: order, event: event))
        }
        if !needsSnapshot, entries.count > Self.limit || finals > Self.limit { fallBack() }
    }

    mutating func finish() { isFinished = true }

    /// Notes that a snapshot is being taken, so that later events are queued again.
    mutating func followSnapshot() { needsSnapshot = false }

    mutating func next() -> Next? {
        let next = takeNext()
        isReaderWaiting = next == nil
        return next
    }

    private mutating func takeNext() -> Next? {
        if let level, level.order < entries.first?.order ?? .max {
            self.level = nil
            return .event(level.event)
        }
        if let entry = entries.popFirst() {
            if case .text(let change) = entry.event.kind { finals -= change.finalResults.count }
            return .event(entry.event)
        }
        if isFinished { return .end }
        return needsSnapshot ? .snapshot : nil
    }

    /// Adds a text change. It merges with the newest entry if that is a text change of the same take.
    private mutating func add(_ change: DictationEvent.TextChange, _ event: DictationEvent) {
        finals += change.finalResults.count
        if let last = entries.last, last.event.take == event.take, case .text(var merged) = last.event.kind {
            merged.merge(change)
            entries.last?.event = DictationEvent(take: event.take, elapsed: event.elapsed, kind: .text(merged))
        } else {
            entries.append(Entry(order: order, event: event))
        }
    }

    private mutating func fallBack() {
        entries.removeAll { !$0.event.kind.isEnd }
        level = nil
        finals = 0
        needsSnapshot = true
    }
}

extension DictationEvent.Kind {
    /// Whether the event ends a take.
    var isEnd: Bool {
        switch self {
        case .ended, .cancelled: true
        default: false
        }
    }
}

/// What waits for one listener, in order. It is bounded: text and levels merge, and a listener that is too slow gets a
/// snapshot in place of what it missed. The ends of takes are always kept.
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
    /// Whether the listener has come back for more and there was none: all that it was given is dealt with.
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

    /// Events from here on follow a snapshot that is being taken.
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
            if case .text(let change) = entry.event.kind { finals -= change.finalized.count }
            return .event(entry.event)
        }
        if isFinished { return .end }
        return needsSnapshot ? .snapshot : nil
    }

    /// Text that waits takes later text in, unless something happened in between that must keep its place.
    private mutating func add(_ change: TextChange, _ event: DictationEvent) {
        finals += change.finalized.count
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
    /// Whether it ends a take.
    var isEnd: Bool {
        switch self {
        case .ended, .cancelled: true
        default: false
        }
    }
}

/// What waits for one listener. It is bounded: text and levels merge, and a listener that is too slow gets a snapshot.
struct ListenerQueue: Sendable {
    private struct Entry: Sendable {
        var order: Int
        var event: DictationEvent
    }

    private struct Text: Sendable {
        var order: Int
        var take: TakeID
        var change: TextChange
        var event: DictationEvent { DictationEvent(take: take, kind: .text(change)) }
    }

    enum Next: Sendable {
        case event(DictationEvent)
        case snapshot
        case end
    }

    private static let limit = 256
    private var others = FIFO<Entry>()
    private var text: Text?
    private var level: Entry?
    private var order = 0
    private var needsSnapshot = false
    private var isFinished = false
    /// Whether the listener has come back for more and there was none: all that it was given is dealt with.
    private var isReaderWaiting = false

    var isDealtWith: Bool { isFinished || isReaderWaiting && !hasNext }
    var hasNext: Bool { needsSnapshot || isFinished || !others.isEmpty || text != nil || level != nil }

    mutating func add(_ event: DictationEvent) {
        guard !needsSnapshot, !isFinished else { return }
        order += 1
        switch event.kind {
        case .level: level = Entry(order: order, event: event)
        case .text(let change): merge(change, event.take)
        default: others.append(Entry(order: order, event: event))
        }
        if others.count > Self.limit || (text?.change.finalized.count ?? 0) > Self.limit { fallBack() }
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
        if needsSnapshot { return isFinished ? .end : .snapshot }
        let orders = [others.first?.order, text?.order, level?.order].compactMap { $0 }
        guard let first = orders.min() else { return isFinished ? .end : nil }
        if let text, text.order == first {
            self.text = nil
            return .event(text.event)
        }
        if let level, level.order == first {
            self.level = nil
            return .event(level.event)
        }
        return others.popFirst().map { .event($0.event) }
    }

    private mutating func merge(_ change: TextChange, _ take: TakeID) {
        var merged = change
        if let text, text.take == take {
            merged.finalized = text.change.finalized + change.finalized
        } else if let text {
            // The text of another take keeps its place among the events.
            others.append(Entry(order: text.order, event: text.event))
        }
        text = Text(order: order, take: take, change: merged)
    }

    private mutating func fallBack() {
        others.removeAll()
        text = nil
        level = nil
        needsSnapshot = true
    }
}

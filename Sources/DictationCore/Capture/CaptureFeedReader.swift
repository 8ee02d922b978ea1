import Synchronization

/// The reader's half of a `CaptureFeed`: takes audio from the ring, and what is rare from a queue beside it.
final class CaptureFeedReader: Sendable {
    /// What does not go through the ring. It comes before the audio buffer whose number it bears.
    enum Rare: Sendable {
        case event(CaptureEvent)
        case ring(AudioRing)
    }

    private struct RareQueue {
        var items = FIFO<(bufferNumber: Int, item: Rare)>()
        /// What came when the queue was full; behind all of it.
        var merged = MergedEvents()
        var mergedBufferNumber = 0
        var hasEnded = false
        var error: DictationError?

        var isEmpty: Bool { items.isEmpty && merged.isEmpty }
        var hasRoom: Bool { items.count < rareCapacity && merged.isEmpty }

        mutating func popFirst(through bufferCount: Int) -> Rare? {
            if items.isEmpty {
                for event in merged.removeAll() { items.append((mergedBufferNumber, .event(event))) }
            }
            guard let first = items.first, first.bufferNumber <= bufferCount else { return nil }
            return items.popFirst()?.item
        }
    }

    /// What only the reading side touches.
    private struct Reader {
        var ring: AudioRing?
        var bufferCount = 0
    }

    private enum Taken {
        case event(CaptureEvent)
        case end(DictationError?)
        case nothing
    }

    /// Events that nobody reads do not pile up beyond this; later ones are merged.
    private static let rareCapacity = 1_000
    /// What the shortest buffer counts for, in nanoseconds.
    static let leastCost: Int64 = 1_000_000

    /// How much audio waits, in nanoseconds.
    let waiting = Atomic<Int64>(0)
    private let rare = Mutex(RareQueue())
    private let reader = Mutex(Reader())
    private let news = Signal()

    static func cost(_ frames: Int, _ format: AudioFormat) -> Int64 {
        max(leastCost, format.duration(ofFrames: Int64(frames)).nanoseconds)
    }

    // MARK: The writer's side

    /// Whether so many events wait that the next are merged. Until they are read there can be no audio behind them.
    var isCrowded: Bool { rare.withLock { !$0.merged.isEmpty } }

    /// Puts an event before the next buffer; `false` when it had to be merged.
    func put(_ event: CaptureEvent, at bufferNumber: Int) -> Bool {
        rare.withLock { rare in
            if rare.hasRoom {
                rare.items.append((bufferNumber, .event(event)))
                return true
            }
            rare.merged.add(event)
            rare.mergedBufferNumber = bufferNumber
            return false
        }
    }

    /// Has the next buffer come from another ring; `false` when too much waits already.
    func put(_ ring: AudioRing, at bufferNumber: Int) -> Bool {
        rare.withLock { rare in
            guard rare.hasRoom else { return false }
            rare.items.append((bufferNumber, .ring(ring)))
            return true
        }
    }

    func finish(_ error: DictationError?) {
        rare.withLock { rare in
            rare.hasEnded = true
            rare.error = error
        }
    }

    func wake() { news.wake() }

    // MARK: The reader's side

    func next() async throws(DictationError) -> CaptureEvent? {
        while true {
            switch reader.withLock({ take(&$0) }) {
            case .event(let event): return event
            case .end(let error?): throw error
            case .end(nil): return nil
            case .nothing: break
            }
            if Task.isCancelled { return nil }
            await news.wait { hasNews }
        }
    }

    private func take(_ reader: inout Reader) -> Taken {
        while true {
            // The ring comes first: audio that is seen here was written after everything that belongs before it.
            let hasAudio = reader.ring.map { !$0.isEmpty } ?? false
            let (item, hasEnded) = rare.withLock { rare -> (Rare?, Bool) in
                let item = rare.popFirst(through: reader.bufferCount)
                return (item, item == nil && rare.hasEnded && rare.isEmpty)
            }
            switch item {
            case .event(let event)?: return .event(event)
            case .ring(let ring)?: reader.ring = ring
            case nil:
                if hasAudio || hasEnded, let buffer = reader.ring?.read() {
                    reader.bufferCount += 1
                    waiting.subtract(Self.cost(buffer.frameCount, buffer.format), ordering: .acquiringAndReleasing)
                    return .event(.buffer(buffer))
                }
                guard hasEnded else { return .nothing }
                return .end(
                    rare.withLock { rare in
                        defer { rare.error = nil }
                        return rare.error
                    })
            }
        }
    }

    private var hasNews: Bool {
        reader.withLock { reader in
            if let ring = reader.ring, !ring.isEmpty { return true }
            return rare.withLock { !$0.isEmpty || $0.hasEnded }
        }
    }
}

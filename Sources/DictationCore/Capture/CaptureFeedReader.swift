import Synchronization

/// The reading half of a ``CaptureFeed``. Takes audio from the ring, and rare items from a queue beside it.
final class CaptureFeedReader: Sendable {
    /// An item that does not go through the ring. Its number is that of the buffer that follows it.
    enum Rare: Sendable {
        case event(CaptureEvent)
        case ring(AudioRing)
    }

    private struct RareQueue {
        var items = FIFO<(bufferNumber: Int, item: Rare)>()
        /// The events that came while the queue was full. They follow all items.
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

    /// The state of the reading side.
    private struct Reader {
        var ring: AudioRing?
        var bufferCount = 0
    }

    private enum Taken {
        case event(CaptureEvent)
        case end(DictationError?)
        case nothing
    }

    /// The number of events that may wait. Later ones are merged.
    private static let rareCapacity = 1_000
    /// The least duration that a buffer counts for, in nanoseconds.
    static let leastCost: Int64 = 1_000_000

    /// The duration of the audio that waits, in nanoseconds.
    let waiting = Atomic<Int64>(0)
    private let rare = Mutex(RareQueue())
    private let reader = Mutex(Reader())
    private let news = Signal()

    static func cost(_ frames: Int, _ format: AudioFormat) -> Int64 {
        max(leastCost, format.duration(ofFrames: Int64(frames)).nanoseconds)
    }

    // MARK: The writer's side

    /// Whether merged events wait. No audio can follow them until they are read.
    var isCrowded: Bool { rare.withLock { !$0.merged.isEmpty } }

    /// Adds an event before the next buffer. Returns `false` if it was merged.
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

    /// Makes the reader take the next buffer from another ring. Returns `false` if too many events wait.
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
            // Look at the ring first. Events that belong before its audio were queued earlier, so they are visible now.
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

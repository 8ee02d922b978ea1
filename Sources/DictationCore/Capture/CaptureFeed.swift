import Synchronization

/// The writing end of a live ``CaptureStream``. A capturer writes audio and events to it.
///
/// The feed counts frames into times and limits the audio that waits for the reader. A reader that is too slow loses
/// audio, and gets a gap in its place. Audio goes through a preallocated ring. After the first buffer of a format,
/// writing allocates nothing and takes no lock that the reader ever holds.
///
/// When a thousand events wait, the feed merges further ones: all gaps with the same cause become one gap, and of other
/// events only the last of each kind stays, or the last interruption of each cause.
public final class CaptureFeed: Sendable {
    /// The state of the writing side.
    private struct Writer {
        var timeline = AudioTimeline()
        var ring: AudioRing?
        var bufferCount = 0
        var lost: (frames: Int64, range: Range<Duration>)?
        /// Whether merged events may wait. The ring takes no audio until they are read.
        var mayBeCrowded = false
        var hasFinished = false
    }

    private let writer = Mutex(Writer())
    private let reader: CaptureFeedReader
    private let relay: WakeRelay?
    private let capacity: Int64

    /// Creates a feed.
    ///
    /// - Parameters:
    ///   - capacity: The longest audio that may wait for the reader. A buffer counts as at least one millisecond.
    ///   - wakesFromOwnThread: Pass `true` when writing from a real-time thread. Waking a task allocates memory, so the
    ///     feed then wakes readers from its own thread.
    public init(capacity: Duration = .seconds(5), wakesFromOwnThread: Bool = false) {
        self.capacity = min(.seconds(3_600), max(.zero, capacity)).nanoseconds
        let reader = CaptureFeedReader()
        self.reader = reader
        relay = wakesFromOwnThread ? WakeRelay(name: "capture-relay") { reader.wake() } : nil
    }

    deinit { relay?.end() }

    /// The stream for the reader.
    public var stream: CaptureStream {
        CaptureStream { { () throws(DictationError) in try await self.reader.next() } }
    }

    /// The time of the next frame.
    public var position: Duration { writer.withLock { $0.timeline.position } }

    /// Writes a buffer. The feed replaces the buffer's time with its own.
    public func write(_ buffer: AudioBuffer) {
        buffer.withUnsafeBytes { write($0, format: buffer.format) }
    }

    /// Writes interleaved frames. Leaves out an incomplete last frame, and ignores audio in a format that audio can't
    /// have.
    public func write(_ bytes: UnsafeRawBufferPointer, format: AudioFormat) {
        guard AudioFormat.sampleRates.contains(format.sampleRate),
            AudioFormat.channelCounts.contains(format.channelCount)
        else { return }
        let frames = bytes.count / format.bytesPerFrame
        guard frames > 0 else { return }
        let whole = UnsafeRawBufferPointer(rebasing: bytes[..<(frames * format.bytesPerFrame)])
        writer.withLock { writer in
            guard !writer.hasFinished else { return }
            if let ring = writer.ring, ring.format != format { putLoss(&writer) }
            let range = writer.timeline.advance(by: Int64(frames), of: format)
            guard offer(whole, frames: frames, at: range.lowerBound, format, &writer) else {
                let lost = writer.lost ?? (0, range)
                writer.lost = (lost.frames + Int64(frames), lost.range.lowerBound..<range.upperBound)
                return
            }
            wake()
        }
    }

    /// Reports audio that the device lost. The reader gets a gap.
    public func lose(frames: Int64, format: AudioFormat, cause: AudioGap.Cause) {
        guard frames > 0 else { return }
        writer.withLock { writer in
            guard !writer.hasFinished else { return }
            let range = writer.timeline.advance(by: frames, of: format)
            putLoss(&writer)
            put(.gap(AudioGap(range: range, frameCount: frames, cause: cause)), &writer)
        }
    }

    /// Sends an event.
    ///
    /// A buffer goes through ``write(_:)``. A gap goes through ``lose(frames:format:cause:)`` with the format of the
    /// audio before it. So both get the feed's own time.
    public func send(_ event: CaptureEvent) {
        switch event {
        case .buffer(let buffer): write(buffer)
        case .gap(let gap):
            lose(
                frames: gap.frameCount, format: writer.withLock { $0.ring?.format ?? .speech }, cause: gap.cause)
        case .interrupted, .resumed, .routeChanged:
            writer.withLock { writer in
                guard !writer.hasFinished else { return }
                putLoss(&writer)
                put(event, &writer)
            }
        }
    }

    /// Ends the stream. The reader still gets everything that waits.
    public func finish(throwing error: DictationError? = nil) {
        writer.withLock { writer in
            guard !writer.hasFinished else { return }
            writer.hasFinished = true
            putLoss(&writer)
            reader.finish(error)
            wake()
        }
        relay?.end()
    }

    /// Puts audio into the ring, or into a new ring if the format is new. Returns `false` if there is no room.
    private func offer(
        _ bytes: UnsafeRawBufferPointer, frames: Int, at start: Duration, _ format: AudioFormat,
        _ writer: inout Writer
    ) -> Bool {
        let cost = CaptureFeedReader.cost(frames, format)
        guard reader.waiting.load(ordering: .acquiring) + cost <= capacity else { return false }
        // Merged events have no place in the order of buffers, so no audio may follow them until they are read.
        if writer.mayBeCrowded { writer.mayBeCrowded = reader.isCrowded }
        guard !writer.mayBeCrowded else { return false }
        putLoss(&writer)
        guard !writer.mayBeCrowded else { return false }
        if writer.ring?.format != format {
            let frameCapacity = format.frames(in: .nanoseconds(capacity)) + 64
            let ring = AudioRing(
                format: format, frameCapacity: Int(clamping: frameCapacity),
                bufferCapacity: Int(clamping: capacity / CaptureFeedReader.leastCost + 1))
            guard reader.put(ring, at: writer.bufferCount) else { return false }
            writer.ring = ring
        }
        reader.waiting.add(cost, ordering: .acquiringAndReleasing)
        guard writer.ring?.write(bytes, start: start) == true else {
            reader.waiting.subtract(cost, ordering: .acquiringAndReleasing)
            return false
        }
        writer.bufferCount += 1
        return true
    }

    /// Reports the audio that did not fit as a gap.
    private func putLoss(_ writer: inout Writer) {
        guard let lost = writer.lost else { return }
        writer.lost = nil
        put(.gap(AudioGap(range: lost.range, frameCount: lost.frames, cause: .overrun)), &writer)
    }

    private func put(_ event: CaptureEvent, _ writer: inout Writer) {
        writer.mayBeCrowded = !reader.put(event, at: writer.bufferCount)
        wake()
    }

    private func wake() {
        if let relay { relay.signal() } else { reader.wake() }
    }
}

extension Duration {
    /// The time in whole nanoseconds, clamped to the range of `Int64`.
    package var nanoseconds: Int64 {
        let (seconds, attoseconds) = onTimeline.components
        return Int64(clamping: Int128(seconds) * 1_000_000_000 + Int128(attoseconds / 1_000_000_000))
    }
}

import Synchronization

/// The capturer's end of a live `CaptureStream`: puts audio on the timeline and bounds what waits for the reader.
///
/// A reader that is too slow loses audio, and gets a gap in its place. Audio goes through a preallocated ring: once the
/// first buffer of a format is through, writing allocates nothing, and it takes no lock that the reader ever holds.
public final class CaptureFeed: Sendable {
    /// What only the writing side touches.
    private struct Writer {
        var timeline = AudioTimeline()
        var ring: AudioRing?
        var bufferCount = 0
        var lost: (frames: Int64, range: Range<Duration>)?
        var unsent: CaptureEvent?
        var hasFinished = false
    }

    private let writer = Mutex(Writer())
    private let reader: CaptureFeedReader
    private let relay: WakeRelay?
    private let capacity: Int64

    /// Makes a feed that holds up to so much audio; what is shorter than a millisecond counts as one.
    ///
    /// Waking a task allocates. A capturer that writes from a thread of a real-time kind says `wakesFromOwnThread`, and
    /// a thread of the feed's own does the waking.
    public init(capacity: Duration = .seconds(5), wakesFromOwnThread: Bool = false) {
        self.capacity = min(.seconds(3_600), max(.zero, capacity)).nanoseconds
        let reader = CaptureFeedReader()
        self.reader = reader
        relay = wakesFromOwnThread ? WakeRelay(name: "capture-relay") { reader.wake() } : nil
    }

    deinit { relay?.end() }

    /// What the feed's reader sees.
    public var stream: CaptureStream {
        CaptureStream { () throws(DictationError) in try await self.reader.next() }
    }

    /// Where the next frame lies.
    public var position: Duration { writer.withLock { $0.timeline.position } }

    /// Gives audio to the reader; the buffer's own time is replaced by the timeline's.
    public func write(_ buffer: AudioBuffer) {
        buffer.withUnsafeBytes { write($0, format: buffer.format) }
    }

    /// Gives audio to the reader: interleaved frames of a format. What is not a whole frame is left out.
    public func write(_ bytes: UnsafeRawBufferPointer, format: AudioFormat) {
        guard AudioFormat.sampleRates.contains(format.sampleRate),
            AudioFormat.channelCounts.contains(format.channelCount)
        else { return }
        let frames = bytes.count / format.bytesPerFrame
        guard frames > 0 else { return }
        let whole = UnsafeRawBufferPointer(rebasing: bytes[..<(frames * format.bytesPerFrame)])
        writer.withLock { writer in
            guard !writer.hasFinished else { return }
            if let ring = writer.ring, ring.format != format { flushLoss(&writer) }
            let range = writer.timeline.advance(by: Int64(frames), of: format)
            guard offer(whole, frames: frames, at: range.lowerBound, format, &writer) else {
                let lost = writer.lost ?? (0, range)
                writer.lost = (lost.frames + Int64(frames), lost.range.lowerBound..<range.upperBound)
                return
            }
            wake()
        }
    }

    /// Tells the reader of audio that the device lost.
    public func lose(frames: Int64, format: AudioFormat, cause: AudioGap.Cause) {
        guard frames > 0 else { return }
        writer.withLock { writer in
            guard !writer.hasFinished else { return }
            flushLoss(&writer)
            let range = writer.timeline.advance(by: frames, of: format)
            if writer.lost != nil || !reader.put(.event(gap(frames, range, cause)), at: writer.bufferCount) {
                let lost = writer.lost ?? (0, range)
                let frames = lost.frames.adding(clamping: frames)
                writer.lost = (frames, lost.range.lowerBound..<range.upperBound)
            }
            wake()
        }
    }

    /// Tells the reader anything that is not audio.
    public func send(_ event: CaptureEvent) {
        writer.withLock { writer in
            guard !writer.hasFinished else { return }
            flushLoss(&writer)
            if !reader.put(.event(event), at: writer.bufferCount) { writer.unsent = event }
            wake()
        }
    }

    /// Ends the stream, after what waits.
    public func finish(throwing error: DictationError? = nil) {
        writer.withLock { writer in
            guard !writer.hasFinished else { return }
            writer.hasFinished = true
            let last = writer.lost.map { gap($0.frames, $0.range, .overrun) }
            let tail = [last, writer.unsent].compactMap { $0 }
            reader.finish(tail, error, at: writer.bufferCount)
            wake()
        }
        relay?.end()
    }

    /// Puts audio into the ring, in a new one when the format is new; `false` when there is no room.
    private func offer(
        _ bytes: UnsafeRawBufferPointer, frames: Int, at start: Duration, _ format: AudioFormat,
        _ writer: inout Writer
    ) -> Bool {
        let cost = CaptureFeedReader.cost(frames, format)
        guard reader.waiting.load(ordering: .acquiring) + cost <= capacity else { return false }
        flushLoss(&writer)
        guard writer.lost == nil else { return false }
        if writer.ring?.format != format {
            let frameCapacity = format.frames(in: .nanoseconds(capacity)) + 64
            let ring = AudioRing(
                format: format, frameCapacity: Int(clamping: frameCapacity),
                bufferCapacity: Int(clamping: capacity / CaptureFeedReader.leastCost + 1))
            guard reader.put(.ring(ring), at: writer.bufferCount) else { return false }
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

    /// Puts the gap of what was lost, and the event that found no room, where they belong.
    private func flushLoss(_ writer: inout Writer) {
        if let lost = writer.lost {
            guard reader.put(.event(gap(lost.frames, lost.range, .overrun)), at: writer.bufferCount) else { return }
            writer.lost = nil
        }
        if let unsent = writer.unsent, reader.put(.event(unsent), at: writer.bufferCount) { writer.unsent = nil }
    }

    private func gap(_ frames: Int64, _ range: Range<Duration>, _ cause: AudioGap.Cause) -> CaptureEvent {
        .gap(AudioGap(range: range, frameCount: frames, cause: cause))
    }

    private func wake() {
        if let relay { relay.signal() } else { reader.wake() }
    }
}

extension Duration {
    /// The time in whole nanoseconds, as near as an `Int64` has it.
    package var nanoseconds: Int64 {
        let (seconds, attoseconds) = onTimeline.components
        return Int64(clamping: Int128(seconds) * 1_000_000_000 + Int128(attoseconds / 1_000_000_000))
    }
}

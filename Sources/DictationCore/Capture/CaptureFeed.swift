import Synchronization

/// The capturer's end of a live `CaptureStream`: puts audio on the timeline and bounds what waits for the reader.
///
/// A reader that is too slow loses audio, and gets a gap in its place. Audio goes through a preallocated ring: once the
/// first buffer of a format is through, writing allocates nothing, and it takes no lock that the reader ever holds.
///
/// No other event is lost. When a thousand of them wait, further ones are merged: gaps into one for each cause, and of
/// the rest the last of each kind stays, and the last interruption of each cause.
public final class CaptureFeed: Sendable {
    /// What only the writing side touches.
    private struct Writer {
        var timeline = AudioTimeline()
        var ring: AudioRing?
        var bufferCount = 0
        var lost: (frames: Int64, range: Range<Duration>)?
        /// Whether events may wait that no audio can come behind.
        var mayBeCrowded = false
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
        CaptureStream { { () throws(DictationError) in try await self.reader.next() } }
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

    /// Tells the reader of audio that the device lost.
    public func lose(frames: Int64, format: AudioFormat, cause: AudioGap.Cause) {
        guard frames > 0 else { return }
        writer.withLock { writer in
            guard !writer.hasFinished else { return }
            let range = writer.timeline.advance(by: frames, of: format)
            putLoss(&writer)
            put(.gap(AudioGap(range: range, frameCount: frames, cause: cause)), &writer)
        }
    }

    /// Tells the reader anything that is not audio. Audio and gaps are taken as `write(_:)` and
    /// `lose(frames:format:cause:)` take them: at the feed's own time, a gap at the rate of the audio before it.
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

    /// Ends the stream, after what waits.
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

    /// Puts audio into the ring, in a new one when the format is new; `false` when there is no room.
    private func offer(
        _ bytes: UnsafeRawBufferPointer, frames: Int, at start: Duration, _ format: AudioFormat,
        _ writer: inout Writer
    ) -> Bool {
        let cost = CaptureFeedReader.cost(frames, format)
        guard reader.waiting.load(ordering: .acquiring) + cost <= capacity else { return false }
        // Behind merged events there is no place for audio.
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

    /// Puts the gap of the audio that there was no room for.
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
    /// The time in whole nanoseconds, as near as an `Int64` has it.
    package var nanoseconds: Int64 {
        let (seconds, attoseconds) = onTimeline.components
        return Int64(clamping: Int128(seconds) * 1_000_000_000 + Int128(attoseconds / 1_000_000_000))
    }
}

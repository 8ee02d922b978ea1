import Synchronization

/// The capturer's end of a live `CaptureStream`: puts audio on the timeline and bounds what waits for the reader.
///
/// A reader that is too slow loses audio, and gets a gap in its place. One thread at a time may write.
public final class CaptureFeed: Sendable {
    private struct State {
        var timeline = AudioTimeline()
        var waiting: Duration = .zero
        var lost: (frames: Int64, range: Range<Duration>)?
    }

    private let mailbox = Mailbox<CaptureEvent, DictationError>()
    private let state = Mutex(State())
    private let capacity: Duration

    /// Makes a feed that holds up to so much audio.
    public init(capacity: Duration = .seconds(5)) { self.capacity = capacity }

    /// What the feed's reader sees.
    public var stream: CaptureStream {
        CaptureStream { () throws(DictationError) in
            let event = try await self.mailbox.next()
            if case .buffer(let buffer) = event { self.state.withLock { $0.waiting -= buffer.duration } }
            return event
        }
    }

    /// Where the next frame lies.
    public var position: Duration { state.withLock { $0.timeline.position } }

    /// Gives audio to the reader; the buffer's own time is replaced by the timeline's.
    public func write(_ buffer: AudioBuffer) {
        guard !buffer.isEmpty else { return }
        state.withLock { state in
            let range = state.timeline.advance(by: Int64(buffer.frameCount), of: buffer.format)
            guard state.waiting + buffer.duration <= capacity else {
                let lost = state.lost ?? (0, range)
                state.lost = (lost.frames + Int64(buffer.frameCount), lost.range.lowerBound..<range.upperBound)
                return
            }
            reportLoss(&state)
            state.waiting += buffer.duration
            mailbox.put(.buffer(buffer.moved(to: range.lowerBound)))
        }
    }

    /// Tells the reader of audio that the device lost.
    public func lose(frames: Int64, format: AudioFormat, cause: AudioGap.Cause) {
        guard frames > 0 else { return }
        state.withLock { state in
            reportLoss(&state)
            let range = state.timeline.advance(by: frames, of: format)
            mailbox.put(.gap(AudioGap(range: range, frameCount: frames, cause: cause)))
        }
    }

    /// Tells the reader anything that is not audio.
    public func send(_ event: CaptureEvent) {
        state.withLock { state in
            reportLoss(&state)
            mailbox.put(event)
        }
    }

    /// Ends the stream, after what waits.
    public func finish(throwing error: DictationError? = nil) {
        state.withLock { state in
            reportLoss(&state)
            mailbox.finish(throwing: error)
        }
    }

    private func reportLoss(_ state: inout State) {
        guard let lost = state.lost else { return }
        state.lost = nil
        mailbox.put(.gap(AudioGap(range: lost.range, frameCount: lost.frames, cause: .overrun)))
    }
}

import DictationCore
import Synchronization

/// A recording that is refused where it gets too long.
final class LimitedRecording: AudioCapturer {
    let pacing = CapturePacing.onDemand
    private let recording: any AudioCapturer
    private let limit: Duration
    private let read = Mutex(Duration.zero)

    init(_ recording: any AudioCapturer, limit: Duration) { (self.recording, self.limit) = (recording, limit) }

    /// How much of the recording was read.
    var duration: Duration { read.withLock { $0 } }

    func start(_ options: CaptureOptions) async throws(DictationError) -> CaptureStream {
        let stream = try await recording.start(options)
        return CaptureStream { [self] in
            var events = stream.makeAsyncIterator()
            return { () async throws(DictationError) in
                let event = try await events.next()
                guard case .buffer(let buffer)? = event else { return event }
                let duration = self.read.withLock { read in
                    read += buffer.duration
                    return read
                }
                guard duration <= self.limit else {
                    throw DictationError(
                        .invalidInput, "The recording is longer than \(self.limit.components.seconds) seconds.",
                        recovery: "Send it in parts.")
                }
                return event
            }
        }
    }

    func stop(_ mode: CaptureStopMode) async { await recording.stop(mode) }
}

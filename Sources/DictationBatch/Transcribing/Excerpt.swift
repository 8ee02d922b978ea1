import DictationCore

/// A recording that ends after a time.
final class Excerpt: AudioCapturer {
    private let source: any AudioCapturer
    private let duration: Duration?
    private let limit: Duration?

    /// Creates an excerpt.
    ///
    /// - Parameters:
    ///   - source: The recording, from the beginning of the excerpt on.
    ///   - duration: When the excerpt ends; `nil` for the end of the recording.
    ///   - limit: The greatest length. More audio is an error.
    init(of source: any AudioCapturer, duration: Duration?, limit: Duration?) {
        self.source = source
        self.duration = duration
        self.limit = limit
    }

    var pacing: CapturePacing { source.pacing }

    func start(_ options: CaptureOptions) async throws(DictationError) -> CaptureStream {
        let stream = try await source.start(options)
        let (duration, limit) = (duration, limit)
        return CaptureStream {
            var events = stream.makeAsyncIterator()
            var isOver = false
            return { () async throws(DictationError) in
                guard !isOver, let event = try await events.next() else { return nil }
                guard case .buffer(let buffer) = event else { return event }
                if let limit, buffer.end > limit, duration.map({ $0 > limit }) ?? true {
                    throw DictationError(
                        .invalidInput, "The recording is longer than \(Int(limit.seconds)) s.",
                        recovery: "Divide it, or allow a greater length.")
                }
                guard let duration, buffer.end >= duration else { return event }
                isOver = true
                let frames = Int(clamping: buffer.format.frames(in: max(.zero, duration - buffer.start)))
                return frames == 0 ? nil : .buffer(buffer.slice(0..<min(frames, buffer.frameCount)))
            }
        }
    }

    func stop(_ mode: CaptureStopMode) async { await source.stop(mode) }
}

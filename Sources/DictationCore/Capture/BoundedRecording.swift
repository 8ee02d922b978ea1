/// A recording that declares its length.
package protocol MeasuredRecording: AudioCapturer {
    /// The length, once the recording is open; `nil` if it declares none.
    var declaredDuration: Duration? { get }
}

/// A recording that ends after a time, or is refused where it is too long.
package final class BoundedRecording: MeasuredRecording {
    private let source: any AudioCapturer
    private let duration: Duration?
    private let limit: Duration?

    /// Creates a recording.
    ///
    /// - Parameters:
    ///   - source: The recording, from its beginning on.
    ///   - duration: When it ends; `nil` for the end of the source.
    ///   - limit: The greatest length. More audio is an error.
    package init(_ source: any AudioCapturer, duration: Duration? = nil, limit: Duration? = nil) {
        (self.source, self.duration, self.limit) = (source, duration, limit)
    }

    package var pacing: CaptureStream.Pacing { source.pacing }

    package var declaredDuration: Duration? {
        let declared = (source as? any MeasuredRecording)?.declaredDuration
        return [declared, duration].compactMap(\.self).min()
    }

    package func start(_ options: CaptureOptions) async throws(DictationError) -> CaptureStream {
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
                        .invalidInput, "The recording is longer than \(limit.components.seconds) seconds.",
                        recovery: "Divide it, or allow a greater length.")
                }
                guard let duration, buffer.end >= duration else { return event }
                isOver = true
                let frames = Int(clamping: buffer.format.frames(in: max(.zero, duration - buffer.start)))
                return frames == 0 ? nil : .buffer(buffer.slice(0..<min(frames, buffer.frameCount)))
            }
        }
    }

    package func stop(_ mode: CaptureOptions.StopMode) async { await source.stop(mode) }
}

/// A source that reads a take from the spool. Audio at the end that the spool does not have becomes a gap.
struct SpooledSource: AudioCapturer {
    let spool: any AudioSpool
    let id: SpooledTake.ID
    let missing: Range<Duration>?
    let pacing = CaptureStream.Pacing.onDemand

    func start(_ options: CaptureOptions) async throws(DictationError) -> CaptureStream {
        let kept = try await spool.read(id)
        guard let missing else { return kept }
        return CaptureStream {
            var events = kept.makeAsyncIterator()
            var isOver = false
            return { () async throws(DictationError) in
                if let event = try await events.next() { return event }
                guard !isOver else { return nil }
                isOver = true
                let frames = AudioFormat.speech.frames(in: missing.upperBound - missing.lowerBound)
                return .gap(AudioGap(range: missing, frameCount: frames, cause: .notKept))
            }
        }
    }

    func stop(_ mode: CaptureOptions.StopMode) async {}
}

extension DictationSession.Configuration {
    /// The same configuration for audio from the spool: no tail, a small backlog, no stop by itself and more time for
    /// the engine.
    var forRetry: DictationSession.Configuration {
        var configuration = self
        configuration.tail = .zero
        configuration.backlog = .seconds(5)
        configuration.recognition.finalizationTimeout = max(recognition.finalizationTimeout, .seconds(120))
        configuration.endingSilence = nil
        configuration.maximumLength = nil
        return configuration
    }
}

extension Duration {
    /// Returns how long the engine may take for the rest of the audio once a retry has read all of it.
    static func retryEndTimeout(_ configuration: DictationSession.Configuration) -> Duration {
        max(configuration.stopTimeout, .seconds(120))
    }
}

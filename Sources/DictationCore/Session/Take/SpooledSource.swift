/// A take in the spool, as a source of audio. What the spool does not have of it is a gap at its end.
struct SpooledSource: AudioCapturer {
    let spool: any AudioSpool
    let id: SpooledTake.ID
    let missing: Range<Duration>?
    let pacing = CapturePacing.onDemand

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

    func stop(_ mode: CaptureStopMode) async {}
}

extension DictationConfiguration {
    /// For audio that doesn't come by itself: nothing to catch at the end, little to hold, and time to work.
    var forRetry: DictationConfiguration {
        var configuration = self
        configuration.tail = .zero
        configuration.backlog = .seconds(5)
        configuration.recognition.finalizationTimeout = max(recognition.finalizationTimeout, .seconds(120))
        configuration.stopAfterSilence = nil
        configuration.maximumLength = nil
        return configuration
    }
}

extension Duration {
    /// How long the engine may take for what is left at the end of a retry, unless somebody stops it.
    static func retryEndTimeout(_ configuration: DictationConfiguration) -> Duration {
        max(configuration.stopTimeout, .seconds(120))
    }
}

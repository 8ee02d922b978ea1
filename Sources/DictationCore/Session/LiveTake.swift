/// What a take has heard and understood so far, and what its listeners are told of it.
struct LiveTake: Sendable {
    private(set) var text = TranscriptAccumulator()
    private(set) var gaps: [AudioGap] = []
    private(set) var input: InputMonitor
    /// When audio last arrived, on the runtime's clock.
    private(set) var lastArrival: Duration?
    private var timeline = AudioTimeline()
    private var format: AudioFormat
    private var pendingLoss: AudioGap?

    init(configuration: DictationConfiguration) {
        format = configuration.capture.preferredFormat
        input = InputMonitor(thresholds: configuration.input)
    }

    /// Where the next frame lies.
    var position: Duration { timeline.position }

    /// Puts a buffer on the take's timeline.
    mutating func place(_ buffer: AudioBuffer) -> AudioBuffer {
        format = buffer.format
        let range = timeline.advance(by: Int64(buffer.frameCount), of: buffer.format)
        return buffer.moved(to: range.lowerBound)
    }

    /// Takes in how a piece of audio sounds.
    mutating func hear(_ level: AudioLevel, at now: Duration) -> [DictationEvent.Kind] {
        lastArrival = now
        let change = input.hear(level, through: position)
        return [.level(level)] + (change.map { [.input($0)] } ?? [])
    }

    /// Notes that nothing arrived for a while.
    mutating func hearNothing() -> [DictationEvent.Kind] { input.hearNothing().map { [.input($0)] } ?? [] }

    /// Puts audio that the capturer lost on the take's timeline.
    mutating func place(_ gap: AudioGap) -> AudioGap {
        let range = timeline.advance(by: gap.frameCount, of: format)
        return AudioGap(range: range, frameCount: gap.frameCount, cause: gap.cause)
    }

    /// Notes a gap that lies on the take's timeline.
    mutating func report(_ gap: AudioGap) -> [DictationEvent.Kind] {
        gaps.append(gap)
        return [.gap(gap)]
    }

    /// Notes a buffer that there was no room for; a run of them is one gap.
    mutating func drop(_ buffer: AudioBuffer, cause: AudioGap.Cause) -> [DictationEvent.Kind] {
        let frames = Int64(buffer.frameCount)
        if let loss = pendingLoss, loss.range.upperBound == buffer.start, loss.cause == cause {
            let whole = loss.range.lowerBound..<buffer.end
            pendingLoss = AudioGap(range: whole, frameCount: loss.frameCount + frames, cause: cause)
            return []
        }
        let settled = settleLoss()
        pendingLoss = AudioGap(range: buffer.range, frameCount: frames, cause: cause)
        return settled
    }

    /// Reports the run of dropped buffers that has come to its end.
    mutating func settleLoss() -> [DictationEvent.Kind] {
        guard let loss = pendingLoss else { return [] }
        pendingLoss = nil
        return report(loss)
    }

    /// Takes a result in.
    mutating func apply(_ result: SpeechResult) -> [DictationEvent.Kind] {
        let before = text.finalized.count
        text.apply(result)
        return [textChange(since: before)]
    }

    /// Makes the text final as it is, because no more can come.
    mutating func finalizeAsIs() -> [DictationEvent.Kind] {
        let before = text.finalized.count
        text.finalizeAsIs()
        return text.finalized.count > before ? [textChange(since: before)] : []
    }

    func transcript(locale: SpeechLocale, error: DictationError?, isEngineDone: Bool) -> Transcript {
        let isAllTaken = !gaps.contains { $0.cause == .engineBehind || $0.cause == .engineFailed }
        return Transcript(
            segments: text.finalized, gaps: gaps.sorted { $0.range.lowerBound < $1.range.lowerBound },
            duration: position, locale: locale, error: error,
            isComplete: isEngineDone && isAllTaken && error == nil && text.isComplete)
    }

    private func textChange(since count: Int) -> DictationEvent.Kind {
        .text(
            TextChange(
                finalized: Array(text.finalized[count...]), volatileTail: text.volatileTail,
                finalizedThrough: text.finalizedThrough))
    }
}

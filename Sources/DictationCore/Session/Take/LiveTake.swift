/// What a take has recorded and understood so far.
struct LiveTake: Sendable {
    private(set) var text = TranscriptAccumulator()
    private(set) var gaps: [AudioGap] = []
    private(set) var input: InputMonitor
    private(set) var level = AudioLevel.silence
    private(set) var interruption: InterruptionCause?
    /// When audio last arrived, on the runtime's clock.
    private(set) var lastArrival: Duration?
    private var timeline = AudioTimeline()
    private var format: AudioFormat
    private var pendingLoss: AudioGap?

    init(_ configuration: DictationConfiguration) {
        format = configuration.capture.preferredFormat
        input = InputMonitor(thresholds: configuration.input)
    }

    /// Where the next frame lies.
    var position: Duration { timeline.position }

    // MARK: Audio

    /// Puts a buffer on the take's timeline.
    mutating func place(_ buffer: AudioBuffer) -> AudioBuffer {
        format = buffer.format
        let range = timeline.advance(by: Int64(buffer.frameCount), of: buffer.format)
        return buffer.moved(to: range.lowerBound)
    }

    /// Notes how a piece of audio sounds, and whether there was room for it before the engine.
    mutating func note(
        _ buffer: AudioBuffer, _ level: AudioLevel, isTaken: Bool, at now: Duration
    ) -> [DictationEvent.Kind] {
        lastArrival = now
        self.level = level
        var kinds = isTaken ? settleLoss() : drop(buffer)
        kinds.append(.level(level))
        if let change = input.hear(level, through: position) { kinds.append(.input(change)) }
        return kinds
    }

    /// Notes that nothing arrived for a while.
    mutating func noteNothing() -> [DictationEvent.Kind] {
        level = .silence
        return input.hearNothing().map { [.level(.silence), .input($0)] } ?? []
    }

    /// Notes that the microphone was let go, or opened again.
    mutating func noteCapture() {
        (lastArrival, level, interruption) = (nil, .silence, nil)
        input.forgetCondition()
    }

    /// Puts audio that the capturer lost on the take's timeline. It lasts as long as it does for the capturer: its
    /// frames are counted at the capturer's rate, which need not be that of the audio before it.
    mutating func place(_ gap: AudioGap) -> AudioGap {
        let length = gap.range.upperBound - gap.range.lowerBound
        let range =
            length > .zero ? timeline.advance(by: length) : timeline.advance(by: gap.frameCount, of: format)
        return AudioGap(range: range, frameCount: max(0, gap.frameCount), cause: gap.cause)
    }

    /// Notes a gap that lies on the take's timeline.
    mutating func report(_ gap: AudioGap) -> [DictationEvent.Kind] {
        gaps.append(gap)
        return [.gap(gap)]
    }

    /// Notes an event that is neither audio nor a gap.
    mutating func note(_ event: CaptureEvent) -> [DictationEvent.Kind] {
        switch event {
        case .interrupted(let cause):
            interruption = cause
            level = .silence
            return [.interrupted(cause), .level(.silence)]
        case .resumed(let device):
            interruption = nil
            return [.resumed(device)]
        case .routeChanged(let device): return [.routeChanged(device)]
        case .buffer, .gap: return []
        }
    }

    /// Reports the run of dropped buffers that has come to its end.
    mutating func settleLoss() -> [DictationEvent.Kind] {
        guard let loss = pendingLoss else { return [] }
        pendingLoss = nil
        return report(loss)
    }

    /// Notes a buffer that the engine did not get; a run of them is one gap.
    private mutating func drop(_ buffer: AudioBuffer) -> [DictationEvent.Kind] {
        let frames = Int64(buffer.frameCount)
        if let loss = pendingLoss, buffer.follows(loss.range.upperBound) {
            let whole = loss.range.lowerBound..<max(loss.range.upperBound, buffer.end)
            pendingLoss = AudioGap(range: whole, frameCount: loss.frameCount + frames, cause: .engineBehind)
            return []
        }
        let settled = settleLoss()
        pendingLoss = AudioGap(range: buffer.range, frameCount: frames, cause: .engineBehind)
        return settled
    }

    // MARK: Text

    /// Takes an update in. One that changes no text is no event.
    mutating func apply(_ update: SpeechUpdate) -> [DictationEvent.Kind] {
        let (finals, tail) = (text.finalized.count, text.volatileTail.count)
        text.apply(update)
        guard update.result != nil || text.volatileTail.count != tail else { return [] }
        if case .revoked = update { return [textChange(since: finals, revokesText: true)] }
        return [textChange(since: finals)]
    }

    /// Ends the take's text: what is volatile becomes final, and audio that the engine was not given is a gap.
    mutating func conclude(givenThrough given: Duration) -> [DictationEvent.Kind] {
        var kinds = finalizeAsIs() + settleLoss()
        for range in unreported(after: given) {
            kinds += report(
                AudioGap(
                    range: range, frameCount: format.frames(in: range.upperBound - range.lowerBound),
                    cause: .engineFailed))
        }
        return kinds
    }

    /// Makes final what is volatile.
    mutating func finalizeAsIs() -> [DictationEvent.Kind] {
        let before = text.finalized.count
        text.finalizeAsIs()
        return text.finalized.count > before ? [textChange(since: before)] : []
    }

    /// The audio after a time that is in no gap.
    private func unreported(after start: Duration) -> [Range<Duration>] {
        var position = start
        var ranges: [Range<Duration>] = []
        let end = AudioGap(range: self.position..<self.position, frameCount: 0, cause: .engineFailed)
        for gap in gaps.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) + [end] {
            // A converter's times are rounded to its own frames.
            let isAudio = gap.range.lowerBound > position && !AudioFormat.speech.isSame(gap.range.lowerBound, position)
            if isAudio { ranges.append(position..<gap.range.lowerBound) }
            position = max(position, gap.range.upperBound)
        }
        return ranges
    }

    /// The text so far with what is known about it.
    func transcript(
        of take: TakeID, locale: SpeechLocale, error: DictationError?, isEngineDone: Bool
    ) -> Transcript {
        Transcript(
            segments: text.finalized, gaps: gaps.sorted { $0.range.lowerBound < $1.range.lowerBound },
            duration: position, locale: locale, error: error,
            isComplete: isEngineDone && !gaps.contains(where: \.isOurs) && error == nil && text.isComplete, take: take)
    }

    private func textChange(since count: Int, revokesText: Bool = false) -> DictationEvent.Kind {
        .text(
            TextChange(
                finalized: Array(text.finalized[count...]), volatileTail: text.volatileTail,
                finalizedThrough: text.finalizedThrough, revokesText: revokesText))
    }
}

extension AudioGap {
    /// Whether audio was there and got lost on its way, rather than that a device gave none.
    var isOurs: Bool {
        switch cause {
        case .overrun, .engineBehind, .engineFailed, .damaged, .notKept: true
        case .suspended, .unplugged, .stalled: false
        }
    }
}

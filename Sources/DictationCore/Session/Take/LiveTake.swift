/// The audio and text of a take so far.
struct LiveTake: Sendable {
    private(set) var text = TranscriptAccumulator()
    private(set) var gaps: [AudioGap] = []
    private(set) var input: InputMonitor
    private(set) var level = AudioLevel.silence
    private(set) var interruption: CaptureEvent.InterruptionCause?
    /// The time of the runtime's clock when audio last arrived.
    private(set) var lastArrival: Duration?
    private var timeline = AudioTimeline()
    private var format: AudioFormat
    private var pendingLoss: AudioGap?

    init(_ configuration: DictationSession.Configuration) {
        format = configuration.capture.preferredFormat
        input = InputMonitor(thresholds: configuration.input)
    }

    /// The time of the next frame, which is the length of the audio so far.
    var position: Duration { timeline.position }

    // MARK: Audio

    /// Appends a buffer to the take's timeline and returns it with its time there.
    mutating func place(_ buffer: AudioBuffer) -> AudioBuffer {
        format = buffer.format
        let range = timeline.advance(by: Int64(buffer.frameCount), of: buffer.format)
        return buffer.moved(to: range.lowerBound)
    }

    /// Notes the level of a buffer, and whether the engine's queue had room for it.
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

    /// Notes that no audio arrived for a while.
    mutating func noteNothing() -> [DictationEvent.Kind] {
        level = .silence
        return input.hearNothing().map { [.level(.silence), .input($0)] } ?? []
    }

    /// Notes that the microphone was opened.
    mutating func noteCapture() {
        (lastArrival, level, interruption) = (nil, .silence, nil)
        input.forgetCondition()
    }

    /// Appends a gap to the take's timeline and returns it with its time there.
    ///
    /// The gap keeps the length that its range has. Its frames count only if the range is empty, because their rate may
    /// differ from the rate of the audio before.
    mutating func place(_ gap: AudioGap) -> AudioGap {
        let length = gap.range.upperBound - gap.range.lowerBound
        let range =
            length > .zero ? timeline.advance(by: length) : timeline.advance(by: gap.frameCount, of: format)
        return AudioGap(range: range, frameCount: max(0, gap.frameCount), cause: gap.cause)
    }

    /// Notes a gap that is on the take's timeline already.
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

    /// Reports the pending run of dropped buffers as a gap.
    mutating func settleLoss() -> [DictationEvent.Kind] {
        guard let loss = pendingLoss else { return [] }
        pendingLoss = nil
        return report(loss)
    }

    /// Notes a buffer that the engine did not get. A run of such buffers becomes one gap.
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

    /// Applies an update and returns what it changes.
    mutating func apply(_ update: SpeechUpdate) -> [DictationEvent.Kind] {
        let update = update.clamped(to: position)
        switch update {
        case .voice(let voice): return input.hear(voice).map { [.input($0)] } ?? []
        case .turnEnded(let time): return [.turnEnded(at: time)]
        case .volatile, .final, .revoked, .finalized, .interrupted: return applyText(update)
        }
    }

    private mutating func applyText(_ update: SpeechUpdate) -> [DictationEvent.Kind] {
        let (finals, tail) = (text.finalResults.count, text.volatileTail.count)
        text.apply(update)
        if case .interrupted(let interruption) = update {
            let changes = text.volatileTail.count == tail ? [] : [textChange(since: finals, revokesText: true)]
            return changes + [.engineInterrupted(interruption)] + leaveOut(interruption.lost)
        }
        guard update.result != nil || text.volatileTail.count != tail else { return [] }
        if case .revoked = update { return [textChange(since: finals, revokesText: true)] }
        return [textChange(since: finals)]
    }

    /// Reports the audio that an engine could not recognize as a gap.
    private mutating func leaveOut(_ range: Range<Duration>?) -> [DictationEvent.Kind] {
        guard let range, !range.isEmpty else { return [] }
        let frames = format.frames(in: range.upperBound - range.lowerBound)
        return report(AudioGap(range: range, frameCount: frames, cause: .engineFailed))
    }

    /// Ends the take's text: volatile text becomes final, and audio that the engine was not given becomes a gap.
    mutating func conclude(givenThrough given: Duration, because cause: AudioGap.Cause) -> [DictationEvent.Kind] {
        var kinds = finalizeAsIs() + settleLoss()
        for range in unreported(after: given) {
            kinds += report(
                AudioGap(
                    range: range, frameCount: format.frames(in: range.upperBound - range.lowerBound),
                    cause: cause))
        }
        return kinds
    }

    /// Makes the volatile text final.
    mutating func finalizeAsIs() -> [DictationEvent.Kind] {
        let before = text.finalResults.count
        text.finalizeAsIs()
        return text.finalResults.count > before ? [textChange(since: before)] : []
    }

    /// Returns the ranges after a time that are not in a gap.
    private func unreported(after start: Duration) -> [Range<Duration>] {
        var position = start
        var ranges: [Range<Duration>] = []
        let end = AudioGap(range: self.position..<self.position, frameCount: 0, cause: .engineFailed)
        for gap in gaps.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) + [end] {
            // A converter rounds times to its own frames, so a difference below one frame is not audio.
            let isAudio = gap.range.lowerBound > position && !AudioFormat.speech.isSame(gap.range.lowerBound, position)
            if isAudio { ranges.append(position..<gap.range.lowerBound) }
            position = max(position, gap.range.upperBound)
        }
        return ranges
    }

    /// Returns the transcript of the text so far.
    func transcript(
        of take: TakeID, locale: SpeechLocale, error: DictationError?, isEngineDone: Bool
    ) -> Transcript {
        Transcript(
            segments: text.finalResults, gaps: gaps.sorted { $0.range.lowerBound < $1.range.lowerBound },
            duration: position, locale: locale, error: error,
            isComplete: isEngineDone && !gaps.contains(where: \.isOurs) && error == nil && text.isComplete, take: take)
    }

    private func textChange(since count: Int, revokesText: Bool = false) -> DictationEvent.Kind {
        .text(
            DictationEvent.TextChange(
                finalResults: Array(text.finalResults[count...]), volatileTail: text.volatileTail,
                finalizedThrough: text.finalizedThrough, revokesText: revokesText))
    }
}

extension AudioGap {
    /// Whether audio was captured and then lost, rather than that the device delivered none.
    var isOurs: Bool {
        switch cause {
        case .overrun, .engineBehind, .engineFailed, .damaged, .notKept: true
        case .suspended, .unplugged, .stalled: false
        }
    }
}

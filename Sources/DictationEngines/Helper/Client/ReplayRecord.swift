package import DictationCore

/// The audio of a session that is not final yet, and the place up to which a helper or a server has it.
package struct ReplayRecord: Sendable {
    /// The audio from ``watermark`` on.
    private var buffers: [AudioBuffer] = []
    /// The number of buffers that the present helper has.
    private var sentCount = 0
    /// The time through which results are final.
    package private(set) var watermark: Duration = .zero
    /// The end of all audio.
    package private(set) var end: Duration = .zero
    /// The end of the audio that the last helper with audio has or had.
    package private(set) var reached: Duration = .zero
    /// Whether text was shown that is not final.
    private var hasVolatile = false
    /// The times through which a voice detector heard the audio, and of the last turn's end.
    private var (heard, turnEnd) = (Duration.zero, Duration.zero)
    private var remembered: RememberedSpeech
    /// What the present helper must do before it gets the audio from ``watermark`` on.
    private var recalled: ArraySlice<RememberedSpeech.Step> = []

    package init() { self.init(remembering: .zero) }

    /// Creates a record that keeps so much of the audio whose text is final, for the next helper.
    init(remembering length: Duration) { remembered = RememberedSpeech(length: length) }

    /// Whether the present helper has audio that is not final.
    var hasSent: Bool { reached > watermark }
    /// Whether the present helper must hear again what is final.
    var isRecalling: Bool { !recalled.isEmpty }

    /// Where the kept audio begins. A pause before it, in which there was no audio, does not count.
    private var keptStart: Duration { max(watermark, buffers.first?.start ?? end) }
    /// The length of the audio that is not sent yet.
    package var backlog: Duration { max(.zero, end - (sentCount == 0 ? keptStart : reached)) }
    /// The length of the audio that is kept.
    package var kept: Duration { max(.zero, end - keptStart) }

    /// Adds audio after all other audio, in pieces of at most `size` frames.
    package mutating func append(_ buffer: AudioBuffer, size: Int) {
        var first = 0
        while first < buffer.frameCount {
            buffers.append(buffer.slice(first..<min(buffer.frameCount, first + size)))
            first += size
        }
        end = max(end, buffer.end)
    }

    /// Returns the next thing that the helper must do before it gets new audio.
    mutating func recall() -> RememberedSpeech.Step? { recalled.popFirst() }

    /// Notes that all audio was made final because the program asked for it.
    mutating func noteFinalization() { remembered.finalize() }

    /// Returns the next piece for the helper, and counts it as sent.
    package mutating func next() -> AudioBuffer? {
        guard sentCount < buffers.count else { return nil }
        if sentCount == 0 { reached = watermark }
        sentCount += 1
        reached = max(reached, buffers[sentCount - 1].end)
        return buffers[sentCount - 1]
    }

    /// Returns an update for the reader; `nil` for one that says nothing new, as after a replay.
    package mutating func admit(_ update: SpeechUpdate) -> SpeechUpdate? {
        switch update {
        case .volatile(let result):
            guard result.range.upperBound > watermark else { return nil }
            hasVolatile = true
        case .revoked, .interrupted: break
        case .voice(let voice):
            guard voice.through > heard else { return nil }
            heard = voice.through
        case .turnEnded(let time):
            guard time > turnEnd else { return nil }
            turnEnd = time
        case .final, .finalized:
            guard let time = update.finalizedThrough, time > watermark else { return nil }
            finalize(through: time)
            if case .finalized = update { remembered.endStretch() }
        }
        return update
    }

    /// Prepares to send the audio to another helper, and returns the update that takes volatile text back.
    package mutating func rewind() -> SpeechUpdate? {
        sentCount = 0
        // It may be what the helper did not survive.
        if isRecalling { remembered.forget() }
        recalled = remembered.steps[...]
        defer { hasVolatile = false }
        return hasVolatile ? .revoked(watermark..<max(watermark, end) + .seconds(1)) : nil
    }

    /// Leaves out the audio that helpers had and did not survive. Returns the range.
    package mutating func giveUp() -> Range<Duration>? {
        guard hasSent else { return nil }
        let lost = watermark..<reached
        finalize(through: reached)
        remembered.forget()
        recalled = []
        return lost
    }

    private mutating func finalize(through time: Duration) {
        watermark = time
        while let first = buffers.first, first.end <= time {
            remembered.add(first)
            buffers.removeFirst()
            sentCount = max(0, sentCount - 1)
        }
        guard let first = buffers.first, first.start < time else { return }
        let rest = first.after(time)
        remembered.add(first.slice(0..<first.frameCount - rest.frameCount))
        // Times are rounded, so that nothing may be left of a buffer that ends later.
        guard rest.isEmpty else { return buffers[0] = rest }
        buffers.removeFirst()
        sentCount = max(0, sentCount - 1)
    }
}

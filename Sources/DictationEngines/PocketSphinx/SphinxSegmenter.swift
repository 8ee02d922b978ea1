#if PocketSphinx
import DictationCore

/// Cuts a session's audio into utterances. It works in steps of a fixed size, so that the sizes of the buffers make no
/// difference.
///
/// An utterance ends at a pause. An utterance that is too long is cut at a quiet frame near its end.
struct SphinxSegmenter: ~Copyable {
    /// The outcome of a step.
    enum Step {
        /// No utterance has ended.
        case nothing
        /// The open utterance has ended; the sum has its mean. `inSpeech` says that it was cut because of its length.
        case ended(SphinxUtterance, CepstralSum, inSpeech: Bool)
    }

    private var frontEnd: SphinxFrontEnd
    private let limits: Limits
    private var clock: DecoderSession.FrameClock
    private var pending: [Int16] = []
    private var steps: Int64 = 0
    private var nextTime: Duration?
    private var heard: CepstralSum
    /// The utterance that has begun and not yet ended.
    private(set) var open: SphinxUtterance?
    let format: AudioFormat

    /// The lengths of utterances, in frames of 10 ms.
    struct Limits: Sendable {
        /// A longer utterance is cut.
        var longest: Int
        /// The cut lies within this number of frames before the end.
        var lookBack: Int
        /// A shorter utterance counts as noise and is dropped.
        var shortest = 12
        /// Whether a pause ends an utterance.
        var endsAtPauses = true
        static let dictation = Limits(longest: 1_500, lookBack: 600)
        static let whole = Limits(longest: .max, lookBack: 1, endsAtPauses: false)
    }

    init(_ model: PocketSphinxModel, limits: Limits) throws(DictationError) {
        frontEnd = try SphinxFrontEnd(model)
        self.limits = limits
        format = AudioFormat(sampleRate: model.parameters.sampleRate)
        clock = DecoderSession.FrameClock(format: format)
        heard = CepstralSum(mean: model.parameters.initialMean, count: SphinxTuning.initialMeanWeight)
    }

    // MARK: Audio

    /// Adds a buffer for ``step()`` to process.
    mutating func take(_ buffer: AudioBuffer) {
        clock.feed(frames: buffer.frameCount, at: buffer.start)
        nextTime = buffer.end
        pending.append(contentsOf: buffer.int16Samples)
    }

    /// Whether audio is missing between the last buffer and this one, more than an utterance may contain.
    func isApart(_ buffer: AudioBuffer) -> Bool {
        guard let nextTime else { return false }
        return buffer.start - nextTime > SphinxTuning.longestHole
    }

    /// Processes one more frame. Returns `nil` when there is not enough audio.
    mutating func step() throws(DictationError) -> Step? {
        let shift = frontEnd.shift
        guard pending.count - read >= shift else {
            pending.removeFirst(read)
            read = 0
            return nil
        }
        steps += 1
        var utterance =
            open ?? SphinxUtterance(width: frontEnd.width, spacing: format.duration(ofFrames: Int64(shift)))
        open = nil
        let before = utterance.count
        let range = read..<(read + shift)
        read += shift
        // A copy, because the front end must not read the array while it may change.
        let samples = pending
        let made = try samples.withUnsafeBufferPointer { all throws(DictationError) in
            try frontEnd.process(UnsafeBufferPointer(rebasing: all[range]), into: &utterance.cepstra)
        }
        let newest = newestFrame
        utterance.place((0..<Int64(made)).map { time(ofFrame: newest - Int64(made) + 1 + $0) })
        if utterance.count == 0 { return .nothing }
        if made == 0, before > 0, limits.endsAtPauses, !frontEnd.isInSpeech { return close(utterance) }
        if utterance.count >= limits.longest {
            let middle = utterance.quietest(in: (utterance.count - limits.lookBack)..<(utterance.count - 20))
            let rest = utterance.split(at: middle)
            let ended = close(utterance, inSpeech: true)
            open = rest
            return ended
        }
        open = utterance
        return .nothing
    }

    private var read = 0

    /// Ends the open utterance, even in the middle of speech.
    mutating func flush() -> Step {
        guard let utterance = open else { return .nothing }
        open = nil
        return close(utterance)
    }

    private mutating func close(_ utterance: SphinxUtterance, inSpeech: Bool = false) -> Step {
        guard utterance.count >= limits.shortest else { return .nothing }
        let sum = meanSum(of: utterance)
        heard = (heard + utterance.sum).limited(to: SphinxTuning.heardWeight)
        return .ended(utterance, sum, inSpeech: inSpeech)
    }

    /// Returns the sum of cepstra for an utterance's mean: the utterance and, with limited weight, earlier speech.
    func meanSum(of utterance: SphinxUtterance) -> CepstralSum { heard + utterance.sum }

    // MARK: Times

    /// The number of the newest frame that the audio so far completes.
    private var newestFrame: Int64 {
        (steps * Int64(frontEnd.shift) - Int64(frontEnd.size)).quotientRoundedDown(by: Int64(frontEnd.shift))
    }

    /// Returns the time when a frame begins.
    func time(ofFrame frame: Int64) -> Duration { clock.time(ofFrame: max(0, frame) * Int64(frontEnd.shift)) }

    /// The time before which no more utterance can begin.
    var settled: Duration {
        if let first = open?.starts.first { return first }
        return time(ofFrame: newestFrame - SphinxTuning.framesBeforeSpeech)
    }
}

extension Int64 {
    fileprivate func quotientRoundedDown(by divisor: Int64) -> Int64 {
        let (quotient, rest) = quotientAndRemainder(dividingBy: divisor)
        return rest < 0 ? quotient - 1 : quotient
    }
}
#endif

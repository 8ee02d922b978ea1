#if PocketSphinx
import DictationCore

/// Cuts a session's audio into utterances, in steps of a fixed size, so that how it came in buffers makes no difference.
///
/// An utterance ends at a pause; one that is too long is cut where it is the quietest.
struct SphinxSegmenter: ~Copyable {
    /// What the newest step brought.
    enum Step {
        /// Nothing that ends anything.
        case nothing
        /// The utterance has ended.
        case ended(SphinxUtterance, CepstralSum)
    }

    private var frontEnd: SphinxFrontEnd
    private let limits: Limits
    private var clock: FrameClock
    private var pending: [Int16] = []
    private var steps: Int64 = 0
    private var nextTime: Duration?
    private var heard: CepstralSum
    /// The utterance that is being said.
    private(set) var open: SphinxUtterance?
    let format: AudioFormat

    /// How long utterances may be, in frames of 10 ms.
    struct Limits: Sendable {
        /// Longer ones are cut.
        var longest: Int
        /// Where the cut is looked for: so many frames back from the end.
        var lookBack: Int
        /// Shorter ones are noise.
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
        clock = FrameClock(format: format)
        heard = CepstralSum(mean: model.parameters.initialMean, count: SphinxTuning.initialMeanWeight)
    }

    // MARK: Audio

    /// Takes a buffer in, to be gone through by `step()`. Says whether audio is missing before it.
    mutating func take(_ buffer: AudioBuffer) {
        clock.feed(frames: buffer.frameCount, at: buffer.start)
        nextTime = buffer.end
        pending.append(contentsOf: buffer.int16Samples)
    }

    /// Whether a buffer does not follow on what was taken.
    func isApart(_ buffer: AudioBuffer) -> Bool {
        guard let nextTime else { return false }
        return buffer.start - nextTime > SphinxTuning.longestHole
    }

    /// Goes one frame further; `nil` when there is not enough audio.
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
        // The array is lent to the front end, which must not see it change.
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
            let ended = close(utterance)
            open = rest
            return ended
        }
        open = utterance
        return .nothing
    }

    private var read = 0

    /// Ends the utterance that is being said, wherever it is.
    mutating func flush() -> Step {
        guard let utterance = open else { return .nothing }
        open = nil
        return close(utterance)
    }

    private mutating func close(_ utterance: SphinxUtterance) -> Step {
        guard utterance.count >= limits.shortest else { return .nothing }
        let sum = meanSum(of: utterance)
        heard = (heard + utterance.sum).limited(to: SphinxTuning.heardWeight)
        return .ended(utterance, sum)
    }

    /// What is known of the mean of an utterance's channel: itself and, for short ones, what was heard before.
    func meanSum(of utterance: SphinxUtterance) -> CepstralSum { heard + utterance.sum }

    // MARK: Times

    /// The number of the newest frame that the audio so far is enough for.
    private var newestFrame: Int64 {
        (steps * Int64(frontEnd.shift) - Int64(frontEnd.size)).quotientRoundedDown(by: Int64(frontEnd.shift))
    }

    /// When a frame begins.
    func time(ofFrame frame: Int64) -> Duration { clock.time(ofFrame: max(0, frame) * Int64(frontEnd.shift)) }

    /// Before this no utterance can begin any more.
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

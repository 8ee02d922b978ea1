#if PocketSphinx
import DictationCore

/// The decoder behind a session. It emits volatile text during an utterance if the options ask for it, and final text
/// when the utterance ends.
///
/// A live utterance is decoded while it arrives, with the mean of the speech so far. After four seconds the mean is
/// known well, and the utterance is decoded again from its beginning. A shorter utterance is decoded again when it
/// ends. Where speech without a pause was cut because of its length, the mean is known from the beginning, and only the
/// speech after the cut is decoded again, in the next utterance. All of this depends only on the number of frames, never
/// on time or on the sizes of the buffers.
struct SphinxStream: SpeechDecoder, ~Copyable {
    private let plan: SphinxPlan
    private let loan: SphinxLoan
    private var segmenter: SphinxSegmenter
    /// The frame of the open utterance where the decoder began.
    private var base = 0
    /// The number of frames of the open utterance that the decoder has processed.
    private var fed = 0
    /// The number of frames that were decoded, each as often as it was.
    private(set) var decodedFrames = 0
    private var isSettled = false
    /// Whether the open utterance is the rest of speech that was cut because of its length.
    private var continues = false
    private var shown = ""
    private var announced: Duration = .zero

    init(_ plan: SphinxPlan, pool: SphinxPool) throws(DictationError) {
        let loan = SphinxLoan(plan.configuration, pool: pool)
        // Loading the first decoder shows whether the configuration works. Later decoders load when speech arrives.
        if !pool.isKnown(plan.configuration) || pool.hasIdle(plan.configuration) { try loan.load() }
        let segmenter = try SphinxSegmenter(plan.configuration.model, limits: plan.limits)
        self.plan = plan
        self.loan = loan
        self.segmenter = segmenter
    }

    mutating func decode(_ buffer: AudioBuffer, into results: ResultSink) async throws(DictationError) {
        if segmenter.isApart(buffer) { try end(segmenter.flush(), into: results) }
        segmenter.take(buffer)
        while let step = try segmenter.step() {
            try end(step, into: results)
            if plan.isLive { try advance(into: results) }
        }
        announce(into: results)
    }

    mutating func finalize(into results: ResultSink) async throws(DictationError) {
        try end(segmenter.flush(), into: results)
    }

    // MARK: Utterances

    /// Feeds the decoder when the open utterance has a whole block of new frames.
    private mutating func advance(into results: ResultSink) throws(DictationError) {
        guard let utterance = segmenter.open, utterance.count - fed >= SphinxTuning.block else { return }
        let isMeanKnown = !plan.isSpotting && (continues || utterance.count >= SphinxTuning.restart)
        if fed == 0 || (isMeanKnown && !isSettled) {
            isSettled = isMeanKnown
            fed = 0
            try begin(utterance)
        }
        try feed(utterance)
        if plan.isSpotting {
            try spot(in: utterance, into: results)
        } else if plan.options.volatileResults {
            try show(utterance, into: results)
        }
    }

    private mutating func begin(_ utterance: SphinxUtterance) throws(DictationError) {
        base = fed
        let mean = segmenter.meanSum(of: utterance).mean
        try loan.use { decoder throws(DictationError) in try decoder.begin(mean: mean) }
    }

    private mutating func feed(_ utterance: SphinxUtterance) throws(DictationError) {
        let frames = utterance.frames(fed..<utterance.count)
        decodedFrames += utterance.count - fed
        fed = utterance.count
        try loan.use { decoder throws(DictationError) in try decoder.process(frames) }
    }

    private mutating func show(_ utterance: SphinxUtterance, into results: ResultSink) throws(DictationError) {
        let words = try loan.use { decoder in decoder.words() }
        let volatile = plan.result(words, in: utterance)
        guard volatile.text != shown, !volatile.text.isEmpty else { return }
        shown = volatile.text
        results.emit(.volatile(volatile))
    }

    /// Reports a keyphrase at once, and begins to look for the next one after it.
    private mutating func spot(in utterance: SphinxUtterance, into results: ResultSink) throws(DictationError) {
        guard let found = try loan.use({ decoder in decoder.words().last }) else { return }
        let frames = (found.frames.lowerBound + base)..<(found.frames.upperBound + base)
        let word = SphinxWord(text: found.text, frames: frames)
        var result = plan.result([word], in: utterance)
        result.range = utterance.range(of: frames)
        results.emit(.final(result))
        try begin(utterance)
    }

    /// Emits the final result of an utterance that has ended.
    private mutating func end(
        _ step: SphinxSegmenter.Step, into results: ResultSink
    ) throws(DictationError) {
        guard case .ended(let utterance, let sum, let inSpeech) = step else {
            // A sound that was too short for an utterance leaves nothing behind.
            if segmenter.open == nil { reset(continues: false) }
            return
        }
        if plan.isSpotting {
            try endSpotting(in: utterance, inSpeech: inSpeech, into: results)
            return results.emit(.finalized(through: utterance.range.upperBound))
        }
        defer { reset(continues: inSpeech) }
        let hypothesis: SphinxHypothesis
        // Alternative readings of the decoder have the words after a cut too.
        if isSettled, fed <= utterance.count || plan.options.maximumAlternatives == 0 {
            let rest = utterance.frames(min(fed, utterance.count)..<utterance.count)
            hypothesis = try loan.use { [plan] decoder throws(DictationError) in
                try decoder.process(rest)
                return try decoder.conclude(plan).before(utterance.count)
            }
        } else {
            decodedFrames += utterance.count
            hypothesis = try loan.use { [plan] decoder throws(DictationError) in
                try decoder.hypothesis(of: utterance, mean: sum.mean, plan)
            }
        }
        results.emit(.final(plan.result(hypothesis, in: utterance, endsInSpeech: inSpeech)))
    }

    /// Looks for keyphrases in the rest of an utterance that has ended.
    private mutating func endSpotting(
        in utterance: SphinxUtterance, inSpeech: Bool, into results: ResultSink
    ) throws(DictationError) {
        if fed == 0 { try begin(utterance) }
        if fed < utterance.count { try feed(utterance) }
        if inSpeech {
            // The decoder goes on, so that no keyphrase after the cut is found twice.
            fed -= utterance.count
            base -= utterance.count
        } else {
            try loan.use { decoder throws(DictationError) in try decoder.end() }
            try spot(in: utterance, into: results)
            reset(continues: false)
        }
    }

    private mutating func reset(continues: Bool) {
        fed = 0
        base = 0
        isSettled = false
        shown = ""
        self.continues = continues
    }

    /// Announces once a second through which time everything is final, so that silence becomes final too.
    private mutating func announce(into results: ResultSink) {
        let settled = segmenter.settled
        guard settled - announced >= .seconds(1) else { return }
        announced = settled
        results.emit(.finalized(through: settled))
    }
}

/// The words of a whole utterance, and its alternatives.
struct SphinxHypothesis: Sendable {
    var words: [SphinxWord]
    var alternatives: [String]

    /// Returns the hypothesis without the words that are said after a frame. A word on both sides belongs to the side
    /// that has more of it.
    func before(_ frame: Int) -> SphinxHypothesis {
        var hypothesis = self
        hypothesis.words = words.compactMap { word in
            guard word.frames.upperBound > frame else { return word }
            var word = word
            guard 2 * frame > word.frames.lowerBound + word.frames.upperBound else { return nil }
            word.frames = word.frames.lowerBound..<frame
            return word
        }
        return hypothesis
    }
}

extension SphinxDecoder {
    /// Decodes a whole utterance and returns its hypothesis.
    mutating func hypothesis(
        of utterance: SphinxUtterance, mean: [Float], _ plan: SphinxPlan
    ) throws(DictationError) -> SphinxHypothesis {
        try begin(mean: mean)
        try process(utterance.frames(0..<utterance.count))
        return try conclude(plan)
    }

    /// Ends the utterance and returns its hypothesis.
    mutating func conclude(_ plan: SphinxPlan) throws(DictationError) -> SphinxHypothesis {
        try end()
        let words = words(withConfidence: plan.options.wordConfidence)
        let best = words.map(\.text).joined(separator: " ")
        return SphinxHypothesis(
            words: words, alternatives: alternatives(plan.options.maximumAlternatives, besides: best))
    }
}
#endif

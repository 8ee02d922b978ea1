#if PocketSphinx
import DictationCore

/// The decoder behind a session. It emits volatile text during an utterance if the options ask for it, and final text
/// when the utterance ends.
///
/// A live utterance is decoded while it arrives, with the mean of the speech so far. After four seconds the mean is
/// known well, and the utterance is decoded again from its beginning. A shorter utterance is decoded again when it
/// ends. All of this depends only on the number of frames, never on time or on the sizes of the buffers.
struct SphinxStream: SpeechDecoder, ~Copyable {
    private let plan: SphinxPlan
    private let loan: SphinxLoan
    private var segmenter: SphinxSegmenter
    /// The frame of the open utterance where the decoder began.
    private var base = 0
    /// The number of frames of the open utterance that the decoder has processed.
    private var fed = 0
    private var isSettled = false
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
        if fed == 0 {
            try begin(utterance)
        } else if !isSettled, !plan.isSpotting, utterance.count >= SphinxTuning.restart {
            isSettled = true
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
        guard case .ended(let utterance, let sum) = step else { return }
        defer {
            fed = 0
            base = 0
            isSettled = false
            shown = ""
        }
        if plan.isSpotting {
            if fed == 0 { try begin(utterance) }
            try feed(utterance)
            try loan.use { decoder throws(DictationError) in try decoder.end() }
            try spot(in: utterance, into: results)
            results.emit(.finalized(through: utterance.range.upperBound))
            return
        }
        let hypothesis: SphinxHypothesis
        if isSettled, fed <= utterance.count {
            let rest = utterance.frames(fed..<utterance.count)
            hypothesis = try loan.use { [plan] decoder throws(DictationError) in
                try decoder.process(rest)
                return try decoder.conclude(plan)
            }
        } else {
            hypothesis = try loan.use { [plan] decoder throws(DictationError) in
                try decoder.hypothesis(of: utterance, mean: sum.mean, plan)
            }
        }
        results.emit(.final(plan.result(hypothesis, in: utterance)))
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

#if PocketSphinx
import DictationCore

/// Transcribes a recording with several decoders. One task cuts the recording into utterances, workers decode the
/// utterances, and the results arrive in order.
///
/// Each utterance carries everything that its decoding depends on, so every worker decodes it to the same text.
struct SphinxRecording: Sendable {
    let plan: SphinxPlan
    let pool: SphinxPool

    private enum Piece: Sendable {
        case utterance(SphinxUtterance, mean: [Float], inSpeech: Bool)
        case silence(through: Duration)
    }

    func transcribe(
        _ input: AudioInput, workers: Int, into results: ResultSink
    ) async throws(DictationError) {
        guard !plan.isSpotting else { return try await inOneGo(input, into: results) }
        try await DictationRuntime.current.inOrder(
            "pocketsphinx", workers: workers,
            produce: { jobs throws(DictationError) in try await cut(input, into: jobs) },
            work: { (jobs: OrderedJobs<Piece, SpeechUpdate>) throws(DictationError) in
                let loan = SphinxLoan(plan.configuration, pool: pool)
                while let ticket = await jobs.take() {
                    jobs.answer(ticket, try answer(ticket.job, loan))
                }
            },
            deliver: { results.emit($0) })
    }

    private func answer(_ piece: Piece, _ loan: SphinxLoan) throws(DictationError) -> SpeechUpdate {
        switch piece {
        case .silence(let time):
            return .finalized(through: time)
        case .utterance(let utterance, let mean, let inSpeech):
            let hypothesis = try loan.use { decoder throws(DictationError) in
                try decoder.hypothesis(of: utterance, mean: mean, plan)
            }
            return .final(plan.result(hypothesis, in: utterance, endsInSpeech: inSpeech))
        }
    }

    /// Cuts the input into utterances.
    private func cut(_ input: AudioInput, into jobs: OrderedJobs<Piece, SpeechUpdate>) async throws(DictationError) {
        var segmenter = try SphinxSegmenter(plan.configuration.model, limits: plan.limits)
        var iterator = input.makeAsyncIterator()
        var fed = FedAudio(format: segmenter.format)
        while let buffer = try await iterator.next() {
            try fed.admit(buffer)
            if segmenter.isApart(buffer) {
                let step = segmenter.flush()
                guard await put(step, into: jobs) else { return }
            }
            segmenter.take(buffer)
            while let step = try segmenter.step() {
                guard await put(step, into: jobs) else { return }
            }
        }
        let step = segmenter.flush()
        guard await put(step, into: jobs) else { return }
        _ = await jobs.put(.silence(through: fed.end))
    }

    private func put(
        _ step: SphinxSegmenter.Step, into jobs: OrderedJobs<Piece, SpeechUpdate>
    ) async -> Bool {
        guard case .ended(let utterance, let sum, let inSpeech) = step else { return true }
        return await jobs.put(.utterance(utterance, mean: sum.mean, inSpeech: inSpeech))
    }

    /// Spots keyphrases without workers, because spotting gains little from them.
    private func inOneGo(_ input: AudioInput, into results: ResultSink) async throws(DictationError) {
        var stream = try SphinxStream(plan, pool: pool)
        for try await buffer in input { try await stream.decode(buffer, into: results) }
        try await stream.finalize(into: results)
    }
}
#endif

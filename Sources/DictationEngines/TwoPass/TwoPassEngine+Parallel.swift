public import DictationCore

extension TwoPassEngine {
    /// Transcribes a recording with `workers` workers. The text is the same as in a session without volatile results.
    ///
    /// If the thorough engine is `ParallelTranscribing`, it cuts and decodes the recording with its own workers.
    public func transcribe(
        _ input: AudioInput, options: RecognitionOptions, workers: Int, into results: ResultSink
    ) async throws(DictationError) {
        var options = options
        options.volatileResults = false
        let plan = try await plan(options)
        let format = try await plan.first.audioFormat(for: plan.firstOptions)
        guard plan.second != nil else {
            return try await plan.first.transcribeRecording(
                input, options: plan.firstOptions, workers: workers, into: results)
        }
        let review = plan.review(converters)
        let queue = Watched(TwoPassQueue(plan.source, isLive: false, format: format))
        try await runtime.inOrder(
            name, workers: workers,
            produce: { jobs throws(DictationError) in
                try await Self.draft(
                    input, with: plan, workers: workers, in: queue, for: jobs, report: results.report)
            },
            work: { (jobs: OrderedJobs<TwoPassQueue.Item, SpeechUpdate>) throws(DictationError) in
                while let ticket = await jobs.take() {
                    switch ticket.job {
                    case .silence(let time): jobs.answer(ticket, .finalized(through: time))
                    case .passed(let update): jobs.answer(ticket, update)
                    case .draft(let draft): jobs.answer(ticket, .final(try await review.result(of: draft)))
                    }
                }
            },
            deliver: { results.emit($0) })
    }

    /// Has the thorough engine decode the recording, and queues its results as drafts.
    private static func draft(
        _ input: AudioInput, with plan: TwoPassPlan, workers: Int, in queue: Watched<TwoPassQueue>,
        for jobs: OrderedJobs<TwoPassQueue.Item, SpeechUpdate>, report: @escaping @Sendable (Duration) -> Void
    ) async throws(DictationError) {
        let kept = AudioInput {
            var iterator = input.makeAsyncIterator()
            return { () async throws(DictationError) in
                guard await queue.first({ $0.hasRoom ? true : nil }) != nil else { return nil }
                guard let buffer = try await iterator.next() else { return nil }
                queue.change { $0.append(buffer) }
                return buffer
            }
        }
        let decoding = DictationRuntime.current.task { () async -> Result<Void, DictationError> in
            let result = await Result.of { () throws(DictationError) in
                try await plan.first.transcribeRecording(
                    kept, options: plan.firstOptions, workers: workers,
                    into: ResultSink { update in queue.change { $0.admit(update) } }.noting(decoded: report))
            }
            queue.change { $0.endsAfterWaiting = true }
            return result
        }
        await withTaskCancellationHandler {
            while await queue.first({ $0.hasNext ? true : $0.endsAfterWaiting ? false : nil }) == true {
                guard let item = queue.change({ $0.next() }), await jobs.put(item) else { break }
                queue.change { $0.done(item) }
            }
        } onCancel: {
            decoding.cancel()
        }
        if !queue.value.endsAfterWaiting { decoding.cancel() }
        try await decoding.value.get()
    }
}

import DictationCore

/// Transcribes a recording with several workers. One task cuts the recording at pauses, and the answers for the pieces
/// arrive in order. Every worker transcribes a piece to the same text.
struct ParallelTranscription<Answer: Sendable>: Sendable {
    let cutter: PauseCutter
    let transcribe: @Sendable (PauseCutter.Piece) async throws(DictationError) -> Answer

    /// - Parameters:
    ///   - report: Receives the length of all pieces that were decoded, in whatever order they were.
    ///   - deliver: Receives the answers in order.
    func transcribe(
        _ input: AudioInput, workers: Int, report: @escaping @Sendable (Duration) -> Void, deliver: (Answer) -> Void
    ) async throws(DictationError) {
        let decoded = Watched(Duration.zero)
        try await DictationRuntime.current.inOrder(
            "sherpa-file", workers: workers,
            produce: { jobs throws(DictationError) in try await cut(input, into: jobs) },
            work: { (jobs: OrderedJobs<PauseCutter.Piece, Answer>) throws(DictationError) in
                while let ticket = await jobs.take() {
                    let (answer, new) = (try await transcribe(ticket.job), ticket.job.newLength)
                    report(
                        decoded.change { length in
                            length += new
                            return length
                        })
                    jobs.answer(ticket, answer)
                }
            },
            deliver: deliver)
    }

    private func cut(
        _ input: AudioInput, into jobs: OrderedJobs<PauseCutter.Piece, Answer>
    ) async throws(DictationError) {
        var cutter = cutter
        var fed = FedAudio(format: .speech)
        var iterator = input.makeAsyncIterator()
        while let buffer = try await iterator.next() {
            try fed.admit(buffer)
            for piece in cutter.add(buffer) {
                guard await jobs.put(piece) else { return }
            }
        }
        for piece in cutter.flush() { _ = await jobs.put(piece) }
    }
}

extension StreamingDecoder {
    /// Decodes a piece as a whole utterance and returns its results.
    consuming func updates(of piece: PauseCutter.Piece) async throws(DictationError) -> [SpeechUpdate] {
        let collected = Watched<[SpeechUpdate]>([])
        let sink = ResultSink { update in collected.change { $0.append(update) } }
        try await decode(AudioBuffer(piece.samples, start: piece.start), into: sink)
        try await finalize(into: sink)
        return collected.value
    }
}

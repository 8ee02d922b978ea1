import DictationCore

/// Transcribes a recording with several workers. One task cuts the recording at pauses, each piece is an utterance, and
/// the results arrive in order. Every worker transcribes a piece to the same text.
struct ParallelTranscription: Sendable {
    let transcribe: @Sendable (PauseCutter.Piece) async throws(DictationError) -> [SpeechUpdate]

    func transcribe(
        _ input: AudioInput, workers: Int, into results: ResultSink
    ) async throws(DictationError) {
        try await DictationRuntime.current.inOrder(
            "sherpa-file", workers: workers, size: \.samples.count,
            produce: { jobs throws(DictationError) in try await cut(input, into: jobs) },
            work: { (jobs: OrderedJobs<PauseCutter.Piece, [SpeechUpdate]>) throws(DictationError) in
                while let ticket = await jobs.take() {
                    jobs.answer(ticket, try await transcribe(ticket.job))
                }
            },
            deliver: { $0.forEach(results.emit) })
    }

    private func cut(
        _ input: AudioInput, into jobs: OrderedJobs<PauseCutter.Piece, [SpeechUpdate]>
    ) async throws(DictationError) {
        var cutter = PauseCutter()
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

import DictationCore

/// A decoding of an utterance that began before the quick engine ended the utterance.
struct EarlyDecoding: Sendable {
    private let range: Range<Duration>
    private let task: Task<Result<StretchText?, DictationError>, Never>

    /// Begins to decode a stretch when another early decoding, which is no longer needed, has ended.
    init(
        _ stretch: AudioStretch, by decoding: StretchDecoding, with session: (any RecognitionSession)?,
        after other: EarlyDecoding?, on runtime: DictationRuntime
    ) {
        other?.cancel()
        range = stretch.range
        task = runtime.task {
            await other?.end()
            return await .of { () throws(DictationError) in try await decoding.text(of: stretch, with: session) }
        }
    }

    func cancel() { task.cancel() }

    /// Cancels the decoding and waits until its session is free.
    func end() async {
        task.cancel()
        _ = await task.value
    }

    /// Returns the text of a stretch if that is the stretch that was decoded; `nil` otherwise.
    func text(of stretch: AudioStretch?) async throws(DictationError) -> StretchText? {
        guard stretch?.range == range else {
            await end()
            return nil
        }
        return try await task.value.get()
    }
}

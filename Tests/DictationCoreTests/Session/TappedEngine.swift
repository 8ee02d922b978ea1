import DictationCore

/// An engine that counts the frames which the sessions of another engine pull.
struct TappedEngine: SpeechEngine {
    let base: any SpeechEngine
    let pulled = Watched(Int64(0))
    /// The number of sessions that have not ended.
    let open = Watched(0)

    var name: String { base.name }
    var capabilities: EngineCapabilities { base.capabilities }
    var supportedLocales: [SpeechLocale] { get async { await base.supportedLocales } }

    func audioFormat(for options: RecognitionOptions) async throws(DictationError) -> AudioFormat {
        try await base.audioFormat(for: options)
    }

    func prepare(
        _ options: RecognitionOptions, progress: @escaping @Sendable (Double) -> Void
    ) async throws(DictationError) {
        try await base.prepare(options, progress: progress)
    }

    func makeSession(_ options: RecognitionOptions) async throws(DictationError) -> any RecognitionSession {
        TappedSession(base: try await base.makeSession(options), engine: self)
    }
}

private struct TappedSession: RecognitionSession {
    let base: any RecognitionSession
    let engine: TappedEngine
    private let isOpen = Watched(true)

    init(base: any RecognitionSession, engine: TappedEngine) {
        (self.base, self.engine) = (base, engine)
        engine.open.change { $0 += 1 }
    }

    var audioFormat: AudioFormat { base.audioFormat }
    var results: RecognitionResults { base.results }

    func start(_ input: AudioInput) throws(DictationError) {
        let pulled = engine.pulled
        try base.start(
            AudioInput {
                var iterator = input.makeAsyncIterator()
                return { () async throws(DictationError) in
                    guard let buffer = try await iterator.next() else { return nil }
                    pulled.change { $0 += Int64(buffer.frameCount) }
                    return buffer
                }
            })
    }

    func finalize(through time: Duration?) async throws(DictationError) -> FinalizationOutcome {
        try await base.finalize(through: time)
    }
    func finish() async throws(DictationError) -> FinalizationOutcome { try await base.finish() }
    func cancel() async {
        let wasOpen = isOpen.change { isOpen in
            defer { isOpen = false }
            return isOpen
        }
        if wasOpen { engine.open.change { $0 -= 1 } }
        await base.cancel()
    }
}

/// A take's place in the spool: written as audio comes, deleted once the text is safe.
actor TakeSpool {
    private let spool: any AudioSpool
    private var writer: (any AudioSpoolWriter)?
    private(set) var id: SpooledTake.ID?
    private var writes: Bool

    /// Makes a place for a new take.
    init(_ spool: any AudioSpool) {
        self.spool = spool
        writes = true
    }

    /// Makes a place for a take that is kept already.
    init(_ spool: any AudioSpool, kept id: SpooledTake.ID) {
        self.spool = spool
        self.id = id
        writes = false
    }

    /// Keeps an event; after the first failure nothing more is kept.
    func append(_ event: CaptureEvent) async throws(DictationError) {
        guard writes else { return }
        do throws(DictationError) {
            if writer == nil {
                let writer = try await spool.begin()
                self.writer = writer
                id = writer.id
            }
            try await writer?.append(event)
        } catch {
            writes = false
            throw error
        }
    }

    /// Ends the writing; deletes the audio when its text is safe. What can't be deleted stays to be found again.
    func settle(isTextSafe: Bool) async {
        writes = false
        try? await writer?.close()
        if isTextSafe, let kept = id {
            try? await spool.discard(kept)
            id = nil
        }
    }
}

/// A take in the spool, as a source of audio.
struct SpooledSource: AudioCapturer {
    let spool: any AudioSpool
    let id: SpooledTake.ID
    let pacing = CapturePacing.onDemand

    func start(_ options: CaptureOptions) async throws(DictationError) -> CaptureStream { try await spool.read(id) }
    func stop(_ mode: CaptureStopMode) async {}
}

extension DictationConfiguration {
    /// For audio that doesn't come by itself: nothing to catch at the end, little to hold, and time to work.
    var forRetry: DictationConfiguration {
        var configuration = self
        configuration.tail = .zero
        configuration.backlog = .seconds(5)
        configuration.stopLimit = max(stopLimit, .seconds(120))
        configuration.recognition.deadline = max(recognition.deadline, .seconds(120))
        configuration.stopAfterSilence = nil
        configuration.maximumLength = nil
        return configuration
    }
}

import DictationCore

/// Emits each recorded update as soon as it has as much audio as the recorded engine had.
struct ReplayDecoder: SpeechDecoder {
    private let session: ReplayEngine.Recording.Session
    private var index = 0
    private var fed: Duration = .zero
    private var watermark: Duration = .zero
    /// The volatile text, which becomes final if the caller asks before the recording's final text.
    private var live: [SpeechResult] = []
    private var hasThrown = false

    init(_ session: ReplayEngine.Recording.Session) { self.session = session }

    mutating func decode(_ buffer: AudioBuffer, into results: ResultSink) async throws(DictationError) {
        fed = max(fed, buffer.end)
        try replay(into: results) { [fed] in !$0.isAfterEnd && $0.fed <= fed }
    }

    mutating func finalize(into results: ResultSink) async throws(DictationError) {
        if session.hasWholeAudio, fed >= session.duration { try replay(into: results) { _ in true } }
        for result in live { results.emit(.final(result)) }
        live = []
        watermark = fed
    }

    private mutating func replay(
        into results: ResultSink, while isDue: (ReplayEngine.Recording.TimedUpdate) -> Bool
    ) throws(DictationError) {
        while index < session.updates.count, isDue(session.updates[index]) {
            emit(session.updates[index].update, into: results)
            index += 1
        }
        if let error = session.error, index == session.updates.count, fed >= session.errorFed { throw error }
    }

    private mutating func emit(_ update: SpeechUpdate, into results: ResultSink) {
        // The caller asked for finality earlier than in the recording, so this text is already final.
        if let result = update.result, result.range.upperBound <= watermark { return }
        switch update {
        case .volatile(let result):
            live.removeAll { $0.range.overlaps(result.range) }
            live.append(result)
        case .final(let result):
            live.removeAll { $0.range.overlaps(result.range) || $0.range.lowerBound < result.range.upperBound }
        case .revoked(let range): live.removeAll { $0.range.overlaps(range) }
        case .finalized(let time): live.removeAll { $0.range.lowerBound < time }
        case .interrupted(let interruption):
            if let lost = interruption.lost { live.removeAll { $0.range.lowerBound < lost.upperBound } }
        case .voice, .turnEnded: break
        }
        results.emit(update)
    }
}

import DictationCore

/// Says what was recorded when as much audio was fed as then.
struct ReplayDecoder: SpeechDecoder {
    private let session: Recording.Session
    private var index = 0
    private var fed: Duration = .zero
    private var watermark: Duration = .zero
    /// The text that would be lost if it were made final before the recording says how.
    private var live: [SpeechResult] = []
    private var hasThrown = false

    init(_ session: Recording.Session) { self.session = session }

    mutating func decode(_ buffer: AudioBuffer, into results: ResultSink) async throws(DictationError) {
        fed = max(fed, buffer.end)
        try replay(into: results) { [fed] in !$0.isAfterEnd && $0.fed <= fed }
    }

    mutating func finalize(into results: ResultSink) async throws(DictationError) {
        if session.hasWholeAudio, fed >= session.duration { try replay(into: results) { _ in true } }
        for var result in live {
            result.status = .final
            results.emit(result)
        }
        live = []
        watermark = fed
    }

    private mutating func replay(
        into results: ResultSink, while isDue: (Recording.TimedResult) -> Bool
    ) throws(DictationError) {
        while index < session.results.count, isDue(session.results[index]) {
            emit(session.results[index].result, into: results)
            index += 1
        }
        if let error = session.error, index == session.results.count, fed >= session.errorFed { throw error }
    }

    private mutating func emit(_ result: SpeechResult, into results: ResultSink) {
        // What was asked to be final earlier than when it was recorded has been said.
        if result.range.upperBound <= watermark, !result.text.isEmpty { return }
        live.removeAll { $0.range.overlaps(result.range) }
        if result.status == .volatile { live.append(result) }
        if result.status == .final { live.removeAll { $0.range.lowerBound < result.finalizedThrough } }
        results.emit(result)
    }
}

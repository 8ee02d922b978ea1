#if SherpaOnnx
import DictationCore

/// How audio goes through a stream, whatever is looked for in it: a stream for each stretch, chunk by chunk.
protocol ChunkDecoder: SpeechDecoder {
    var feed: AudioFeed { get set }
    /// The stream of the stretch that is under way.
    var stream: OnlineStream? { get set }

    func makeStream() throws(DictationError) -> OnlineStream
    /// Decodes the chunks that are there, so that how the audio was cut into buffers makes no difference. Says whether
    /// there were any.
    mutating func decodeWhatIsReady(_ stream: OnlineStream, into results: ResultSink) async -> Bool
    /// Says what is new after some chunks were decoded.
    mutating func advance(_ stream: OnlineStream, into results: ResultSink)
    /// Makes all of a stretch final.
    mutating func settle(_ stream: OnlineStream, through end: Duration, into results: ResultSink)
}

extension ChunkDecoder {
    mutating func decode(_ buffer: AudioBuffer, into results: ResultSink) async throws(DictationError) {
        var gap = feed.gap(before: buffer)
        if gap > AudioFeed.longestBridge {
            try await finalize(into: results)
            gap = .zero
        }
        let stream = try openStream()
        feed.feed(buffer, bridging: gap, to: stream)
        if await decodeWhatIsReady(stream, into: results) { advance(stream, into: results) }
    }

    mutating func finalize(into results: ResultSink) async throws(DictationError) {
        guard let stream else { return }
        feed.finish(stream)
        _ = await decodeWhatIsReady(stream, into: results)
        settle(stream, through: feed.end ?? .zero, into: results)
        self.stream = nil
    }

    private mutating func openStream() throws(DictationError) -> OnlineStream {
        if let stream { return stream }
        let stream = try makeStream()
        feed.begin()
        self.stream = stream
        return stream
    }
}
#endif

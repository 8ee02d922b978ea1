import DictationCore

/// A decoder that feeds each stretch of audio to its own stream and decodes the stream chunk by chunk.
protocol ChunkDecoder: SpeechDecoder {
    var feed: AudioFeed { get set }
    /// The stream of the current stretch.
    var stream: OnlineStream? { get set }

    func makeStream() throws(DictationError) -> OnlineStream
    /// Decodes all complete chunks. The sizes of the audio's buffers make no difference to the chunks.
    ///
    /// - Parameter endsStretch: Whether they are the last ones of a stretch.
    /// - Returns: Whether there was a complete chunk.
    mutating func decodeWhatIsReady(
        _ stream: OnlineStream, endsStretch: Bool, into results: ResultSink
    ) async -> Bool
    /// Emits new results after some chunks were decoded.
    mutating func advance(_ stream: OnlineStream, into results: ResultSink)
    /// Makes a whole stretch final.
    mutating func settle(_ stream: OnlineStream, through end: Duration, into results: ResultSink)
}

extension ChunkDecoder {
    mutating func decode(_ buffer: AudioBuffer, into results: ResultSink) async throws(DictationError) {
        var gap = feed.gap(before: buffer)
        if gap > AudioFeed.longestFilledGap {
            try await finalize(into: results)
            gap = .zero
        }
        let stream = try openStream()
        feed.feed(buffer, bridging: gap, to: stream)
        if await decodeWhatIsReady(stream, endsStretch: false, into: results) { advance(stream, into: results) }
    }

    mutating func finalize(into results: ResultSink) async throws(DictationError) {
        guard let stream else { return }
        feed.finish(stream)
        _ = await decodeWhatIsReady(stream, endsStretch: true, into: results)
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

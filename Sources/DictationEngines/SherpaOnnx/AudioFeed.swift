import DictationCore

/// Feeds a session's audio to a stream, and turns frames of the stream back into times of the audio.
///
/// A stream is one stretch of audio. The feed fills a short gap with silence. After a long gap, and after everything
/// became final, the next audio begins a new stream.
struct AudioFeed {
    static let format = AudioFormat.speech
    /// The longest gap that is filled with silence.
    static let longestFilledGap = Duration.seconds(1)

    private let model: SherpaOnnxEngine.Model
    var chunkFrames: Int { model.chunkFrames }
    private var samples: [Float] = []
    private var normalizer: AudioLevel.Normalizer?
    private var trace = SpeechTrace()
    private(set) var clock = DecoderSession.FrameClock(format: format)
    private(set) var end: Duration?
    /// The frame where the stream began.
    private var streamStart: Int64 = 0
    /// The frame where the part of the stream that is not yet final begins. The decoder's times count from it.
    private var origin: Int64 = 0
    private var chunks: Int64 = 0

    init(model: SherpaOnnxEngine.Model, normalizesLevel: Bool) {
        self.model = model
        normalizer = normalizesLevel ? AudioLevel.Normalizer(sampleRate: Self.format.sampleRate) : nil
    }

    /// Returns the gap before a buffer. A gap of up to a millisecond is rounding and counts as zero.
    func gap(before buffer: AudioBuffer) -> Duration {
        guard let end else { return .zero }
        let gap = buffer.start - end
        return gap > .milliseconds(1) ? gap : .zero
    }

    mutating func begin() {
        streamStart = clock.frames
        origin = clock.frames
        chunks = 0
        trace = SpeechTrace()
    }

    mutating func feed(_ buffer: AudioBuffer, bridging gap: Duration, to stream: OnlineStream) {
        if gap > .zero, let end {
            let silence = Int(clamping: Self.format.frames(in: gap))
            clock.feed(frames: silence, at: end)
            trace.skip(silence)
            pad(silence, stream)
        }
        clock.feed(frames: buffer.frameCount, at: buffer.start)
        end = buffer.end
        samples.removeAll(keepingCapacity: true)
        buffer.forEachSample { samples.append($0) }
        samples.withUnsafeMutableBufferPointer { samples in
            trace.add(samples)
            normalizer?.normalize(samples)
            stream.accept(UnsafeBufferPointer(samples))
        }
    }

    /// Ends the stream with as much silence as the model looks ahead, so that the last word is not cut.
    func finish(_ stream: OnlineStream) {
        pad((model.windowFrames + model.chunkFrames) * Self.framesPerFeature, stream)
        stream.inputFinished()
    }

    private func pad(_ count: Int, _ stream: OnlineStream) {
        [Float](repeating: 0, count: count).withUnsafeBufferPointer { stream.accept($0) }
    }

    private static let framesPerFeature = 160

    mutating func decodedChunk() { chunks += 1 }

    /// The seconds of audio decoded since the origin.
    var decodedSeconds: Double { Double(decodedFrame - origin) / Double(Self.format.sampleRate) }

    /// The time through which the audio was decoded.
    var decodedThrough: Duration { min(clock.time(ofFrame: decodedFrame), end ?? .zero) }

    private var decodedFrame: Int64 {
        streamStart + chunks * Int64(model.chunkFrames * Self.framesPerFeature)
    }

    /// Moves the origin to the start of one of the last chunks; 1 is the chunk decoded last.
    mutating func moveOrigin(toChunksBack count: Int) {
        let chunk = Int64(model.chunkFrames * Self.framesPerFeature)
        origin = max(streamStart, decodedFrame - Int64(max(0, count)) * chunk)
    }

    /// Moves the origin to the end of the decoded audio.
    mutating func resetOrigin() {
        origin = decodedFrame
        clock.discard(before: origin)
        trace.discard(before: origin - streamStart)
    }

    /// Whether the audio at a word's time stands out from the background.
    func isHeard(_ word: FoldedWord) -> Bool {
        let start = origin - streamStart
        return trace.standsOut(from: start + frames(word.start), to: start + frames(word.end))
    }

    private func frames(_ seconds: Double) -> Int64 {
        let frames = (seconds * Double(Self.format.sampleRate)).rounded()
        return frames.isFinite ? Int64(max(0, min(frames, 1e15))) : 0
    }

    /// Returns the time that lies `second` seconds after the origin, but never after the audio's end.
    func time(ofSecond second: Double) -> Duration {
        return min(clock.time(ofFrame: origin + frames(second)), end ?? .zero)
    }
}

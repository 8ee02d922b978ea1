import DictationCore

/// A replayed session that accepts only the recorded audio.
final class ReplaySession: RecognitionSession {
    private let session: DecoderSession
    private let recorded: ReplayEngine.Recording.Session

    init(_ session: DecoderSession, replaying recorded: ReplayEngine.Recording.Session) {
        self.session = session
        self.recorded = recorded
    }

    var audioFormat: AudioFormat { session.audioFormat }
    var results: RecognitionResults { session.results }

    func start(_ input: AudioInput) throws(DictationError) {
        let recorded = recorded
        try session.start(
            AudioInput {
                var iterator = input.makeAsyncIterator()
                var comparison = AudioComparison(with: recorded.audio, isWhole: recorded.hasWholeAudio)
                return { () throws(DictationError) in
                    guard let buffer = try await iterator.next() else {
                        try comparison.end()
                        return nil
                    }
                    try comparison.check(buffer)
                    return buffer
                }
            })
    }

    func finalize(through time: Duration?) async throws(DictationError) -> FinalizationOutcome {
        try await session.finalize(through: time)
    }

    func finish() async throws(DictationError) -> FinalizationOutcome { try await session.finish() }
    func cancel() async { await session.cancel() }
}

/// Compares audio with recorded audio, whatever the sizes of the buffers.
private struct AudioComparison {
    private let recorded: [AudioBuffer]
    private let isWhole: Bool
    private var index = 0
    private var frame = 0

    init(with recorded: [AudioBuffer], isWhole: Bool) {
        self.recorded = recorded.filter { !$0.isEmpty }
        self.isWhole = isWhole
    }

    mutating func check(_ buffer: AudioBuffer) throws(DictationError) {
        var rest = buffer
        while !rest.isEmpty {
            guard index < recorded.count else { throw problem("is longer than the recording's", at: rest.start) }
            let piece = recorded[index].slice(frame..<recorded[index].frameCount)
            guard rest.format == piece.format else { throw problem("has another format", at: rest.start) }
            guard rest.follows(piece.start) else {
                throw problem("has another time: it was recorded at \(piece.start)", at: rest.start)
            }
            let count = min(rest.frameCount, piece.frameCount)
            guard rest.slice(0..<count).hasSameSamples(as: piece.slice(0..<count)) else {
                throw problem("differs from the recording's", at: rest.start)
            }
            rest = rest.slice(count..<rest.frameCount)
            frame += count
            if count == piece.frameCount { (index, frame) = (index + 1, 0) }
        }
    }

    /// Throws if the audio is shorter than the recorded audio, unless the recording itself was cut short.
    func end() throws(DictationError) {
        guard isWhole, index < recorded.count else { return }
        let missing = recorded[index].slice(frame..<recorded[index].frameCount)
        throw problem("ends before the recording's", at: missing.start)
    }

    private func problem(_ what: String, at time: Duration) -> DictationError {
        DictationError(
            .invalidInput, "The audio \(what), at \(time).",
            recovery: "Use the recorded audio, or create the ReplayEngine with exactness: .lenient.")
    }
}

extension AudioBuffer {
    fileprivate func hasSameSamples(as other: AudioBuffer) -> Bool {
        withUnsafeBytes { mine in other.withUnsafeBytes { mine.elementsEqual($0) } }
    }
}

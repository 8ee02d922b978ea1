#if Server
import DictationCapture
import DictationCore

/// The transcription of audio that arrives while it is spoken.
final class LiveTranscription: Sendable {
    private let session: any RecognitionSession
    private let audio = Mailbox<AudioBuffer, DictationError>(capacity: 64)
    private let reading: Task<Result<Void, DictationError>, Never>
    private let clock = Watched(AudioTimeline())
    /// The first bytes of a frame that is not complete yet.
    private let cut = Watched<(format: AudioFormat?, bytes: [UInt8])>((nil, []))
    private let limit: Duration

    /// How long the engine may take to finish. A server with many streams is behind with each of them, and an answer that
    /// is late is worth more than one that makes the client send everything again.
    private static let finalizationTimeout = Duration.seconds(120)

    /// Starts a session.
    ///
    /// - Parameters:
    ///   - engine: The engine.
    ///   - options: The options of the recognition.
    ///   - limit: The longest audio.
    ///   - runtime: Runs the reader of the results.
    ///   - take: Takes each update, in order.
    init(
        _ engine: any SpeechEngine, _ options: RecognitionOptions, limit: Duration, runtime: DictationRuntime,
        take: @escaping @Sendable (SpeechUpdate) async -> Void
    ) async throws(DictationError) {
        var options = options
        options.finalizationTimeout = Self.finalizationTimeout
        let session = try await engine.makeSession(options)
        let audio = audio
        let input = AudioInput { { () async throws(DictationError) in try await audio.next() } }
        do throws(DictationError) {
            try session.start(AudioInput(converting: input, to: session.audioFormat, by: bestConverters()))
        } catch {
            await session.cancel()
            throw error
        }
        (self.session, self.limit) = (session, limit)
        reading = runtime.task {
            do throws(DictationError) {
                var results = session.results.makeAsyncIterator()
                while let update = try await results.next() { await take(update) }
                return .success(())
            } catch {
                // The feeder must not wait for an engine that takes nothing more.
                audio.finish()
                return .failure(error)
            }
        }
    }

    /// How much audio was fed.
    var position: Duration { clock.value.position }

    /// Feeds samples, when the engine has taken most of the earlier ones.
    ///
    /// - Throws: `invalidInput` when the audio is too long; the engine's error if that has failed.
    func feed(_ bytes: [UInt8], in format: AudioFormat) async throws(DictationError) {
        // A client may cut its audio anywhere, also inside a frame.
        let bytes = cut.change { cut in
            let whole = cut.format == format ? cut.bytes + bytes : bytes
            let rest = whole.count % max(1, format.bytesPerFrame)
            cut = (format, Array(whole.suffix(rest)))
            return whole
        }
        let frames = bytes.count / max(1, format.bytesPerFrame)
        guard frames > 0 else { return }
        let range = clock.change { $0.advance(by: Int64(frames), of: format) }
        guard range.upperBound <= limit else {
            throw DictationError(
                .invalidInput, "The audio is longer than \(limit.components.seconds) seconds.",
                recovery: "Begin another stream.")
        }
        let buffer = AudioBuffer(format: format, start: range.lowerBound, frameCount: frames) { memory in
            bytes.withUnsafeBytes { memory.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<memory.count])) }
        }
        // The queue counts buffers, so each must be small.
        let size = max(1, format.sampleRate / 2)
        for first in stride(from: 0, to: frames, by: size) {
            guard await audio.putWhenRoom(buffer.slice(first..<min(frames, first + size))) else {
                try await reading.value.get()
                throw DictationError(.cancelled, "The stream was cancelled.")
            }
        }
    }

    /// Ends the audio, and waits until all of it is final and every update was taken.
    ///
    /// - Returns: Whether the engine finished all of it in time.
    func finish() async throws(DictationError) -> FinalizationOutcome {
        audio.finish()
        let outcome = try await session.finish()
        try await reading.value.get()
        return outcome
    }

    /// Ends the session at once.
    func cancel() async {
        audio.finish()
        await session.cancel()
        _ = await reading.value
    }
}
#endif

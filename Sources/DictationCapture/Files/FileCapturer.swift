import Synchronization

#if SoundFile
public import DictationCore
#endif

/// How far a file has been read.
public struct FileProgress: Sendable, Hashable {
    /// How much audio was given to the reader.
    public var position: Duration
    /// How long the file says it is, if it says.
    public var duration: Duration?

    /// From 0 to 1, where the length is known.
    public var fractionCompleted: Double? {
        guard let duration, duration > .zero else { return nil }
        return min(1, position / duration)
    }
}

#if SoundFile
/// Captures from an audio file instead of a microphone: as fast as it is read, or at the speed of life.
///
/// Each start reads from the beginning. Live, it behaves as a microphone does: a reader that is too slow loses some.
public final class FileCapturer: AudioCapturer {
    /// Whether audio comes at its own speed, or as fast as it is asked for.
    public let pacing: CapturePacing
    private let path: String
    private let raw: AudioFormat?
    private let bufferDuration: Duration
    private let thread: any TaskExecutor
    private let runtime = DictationRuntime.current
    private let frames = Watched(PlayedFrames())
    private let opened = Mutex<(format: AudioFormat, frameCount: Int64?)?>(nil)
    private let gate = CaptureGate<PlayedTake>(hasEnded: \.hasEnded) { take in
        await take.stop()
        take.finish()
    }

    /// Makes a capturer of a file; `raw` is the format of one that has no header of its own.
    ///
    /// Unless told otherwise it gives buffers of 100 ms live, as a microphone does, and of a second on demand: fewer
    /// cost less. Ask for shorter ones where someone watches volatile text or the progress.
    public init(
        path: String, raw: AudioFormat? = nil, pacing: CapturePacing = .onDemand,
        bufferDuration: Duration? = nil
    ) {
        self.path = path
        self.raw = raw
        self.pacing = pacing
        self.bufferDuration = bufferDuration ?? (pacing == .live ? .milliseconds(100) : .seconds(1))
        thread = runtime.blockingExecutor("audio-file")
    }

    /// How far the latest take has been read.
    public var progress: FileProgress {
        guard let (format, frameCount) = opened.withLock({ $0 }) else { return FileProgress(position: .zero) }
        return FileProgress(
            position: format.duration(ofFrames: frames.value.delivered),
            duration: frameCount.map(format.duration(ofFrames:)))
    }

    /// The file, as a device.
    public func devices() async throws(DictationError) -> [AudioDevice] {
        [AudioDevice(id: path, name: path, isDefault: true)]
    }

    /// Opens the file.
    public func start(_ options: CaptureOptions) async throws(DictationError) -> CaptureStream {
        if let device = options.device, device != path {
            throw DictationError(
                .deviceNotFound, "There is no device “\(device)” in a file.", recovery: "Choose “\(path)”, or none."
            )
        }
        let take = try await gate.start { () async throws(DictationError) in
            let (path, raw, bufferDuration) = (path, raw, bufferDuration)
            let moves = try await BlockingWork(on: thread).run { () throws(DictationError) in
                FileMoves(try AudioFileReader(path: path, raw: raw), bufferDuration)
            }
            frames.change { $0 = PlayedFrames() }
            opened.withLock { $0 = (moves.format, moves.frameCount) }
            return PlayedTake(
                moves, pacing: pacing, capacity: .seconds(5), runtime: runtime, counts: frames, executor: thread)
        }
        take.begin()
        return take.stream
    }

    /// Stops reading.
    public func stop(_ mode: CaptureStopMode) async { await gate.stop() }
}

/// A file's buffers, each of which takes as long as it lasts.
private final class FileMoves: CaptureMoves {
    let format: AudioFormat
    let frameCount: Int64?
    private let framesPerBuffer: Int
    private let reader: Mutex<AudioFileReader>

    init(_ reader: consuming sending AudioFileReader, _ bufferDuration: Duration) {
        format = reader.format
        frameCount = reader.frameCount
        framesPerBuffer = Int(clamping: reader.format.frames(in: bufferDuration))
        self.reader = Mutex(reader)
    }

    func next() -> CaptureMove? {
        let result = reader.withLock { reader in
            Result { () throws(DictationError) in try reader.read(frames: framesPerBuffer) }
        }
        switch result {
        case .success(let buffer?): return CaptureMove(outcome: .audio(buffer), duration: buffer.duration)
        case .success(nil): return nil
        case .failure(let error): return CaptureMove(outcome: .fail(error))
        }
    }
}
#else
/// Captures from an audio file instead of a microphone.
@available(*, unavailable, message: "Enable the 'SoundFile' trait")
public final class FileCapturer: Sendable {}
#endif

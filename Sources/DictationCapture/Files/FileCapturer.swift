import Synchronization

#if SoundFile
public import DictationCore
#endif

#if SoundFile
/// Captures from a recording instead of a microphone: from any file that ``AudioFileReader`` reads.
///
/// Each ``start(_:)`` reads the file again. With ``pacing`` `.onDemand` the audio comes as fast as it
/// is read, and none is lost. With `.live` it comes at the speed of a microphone, and a slow reader loses some of it.
public final class FileCapturer: AudioCapturer {
    /// Whether audio comes at its own speed, or as fast as it is read.
    public let pacing: CaptureStream.Pacing
    private let path: String
    private let raw: AudioFormat?
    private let track: Int
    private let channel: Int?
    private let from: Duration
    private let bufferDuration: Duration
    private let inHelper: Bool
    private let thread: any TaskExecutor
    private let runtime = DictationRuntime.current
    private let frames = Watched(PlayedFrames())
    private let opened = Mutex<(format: AudioFormat, frameCount: Int64?)?>(nil)
    private let gate = CaptureGate<PlayedTake>(hasEnded: \.hasEnded) { take in
        await take.stop()
        take.finish()
    }

    /// Creates a capturer that reads a file.
    ///
    /// - Parameters:
    ///   - path: The file's path.
    ///   - raw: The format of raw PCM, which has no header. Pass `nil` for any other file.
    ///   - track: The number of the audio track, from 1. Only videos usually have several.
    ///   - channel: The number of the only channel to capture, from 1, or `nil` for all channels.
    ///   - start: The time in the file from which to capture. The captured audio begins there, at the time zero.
    ///   - pacing: Whether audio comes at its own speed, or as fast as it is read.
    ///   - bufferDuration: The duration of each buffer. The default is 100 ms for live audio and one second on demand,
    ///     because fewer buffers cost less. Pass a shorter duration if a user watches volatile text or the progress.
    ///   - inHelper: Whether the file is decoded in a process that can do nothing else; see ``AudioFileReader``.
    public init(
        path: String, raw: AudioFormat? = nil, track: Int = 1, channel: Int? = nil, from start: Duration = .zero,
        pacing: CaptureStream.Pacing = .onDemand, bufferDuration: Duration? = nil, inHelper: Bool = false
    ) {
        self.path = path
        self.raw = raw
        self.track = track
        self.channel = channel
        from = max(.zero, start)
        self.pacing = pacing
        self.inHelper = inHelper
        self.bufferDuration = bufferDuration ?? (pacing == .live ? .milliseconds(100) : .seconds(1))
        thread = runtime.blockingExecutor("audio-file")
    }

    /// How much of the file the latest take has read, and the duration that the file declares.
    public var progress: Transcription.Progress {
        guard let (format, frameCount) = opened.withLock({ $0 }) else { return Transcription.Progress(position: from) }
        return Transcription.Progress(
            position: from + format.duration(ofFrames: frames.value.delivered),
            duration: frameCount.map(format.duration(ofFrames:)))
    }

    /// Returns the file as the only device.
    public func devices() async throws(DictationError) -> [AudioDevice] {
        [AudioDevice(id: path, name: path, isDefault: true)]
    }

    /// Opens the file and begins to read it.
    ///
    /// - Parameter options: The capture options. Their device is the file's path or `nil`. A recording that
    ///   FFmpeg reads gets the preferred format. Any other keeps its own.
    /// - Throws: `fileUnreadable` if the file can't be opened or is not a recording; `deviceNotFound` if the options
    ///   name another device; `alreadyRunning` if the capturer already runs.
    public func start(_ options: CaptureOptions) async throws(DictationError) -> CaptureStream {
        if let device = options.device, device != path {
            throw DictationError(
                .deviceNotFound, "This capturer reads a file and has no device “\(device)”.",
                recovery: "Choose the device “\(path)”, or none."
            )
        }
        let take = try await gate.start { () async throws(DictationError) in
            let (path, raw, track, channel, from) = (path, raw, track, channel, from)
            let (bufferDuration, inHelper) = (bufferDuration, inHelper)
            let moves = try await BlockingWork(on: thread).run { () throws(DictationError) in
                let reader = try AudioFileReader(
                    path: path, raw: raw, track: track, channel: channel, from: from,
                    preferredFormat: options.preferredFormat, inHelper: inHelper)
                return PlayedFile(reader, bufferDuration)
            }
            frames.change { $0 = PlayedFrames() }
            opened.withLock { $0 = (moves.format, moves.frameCount) }
            return PlayedTake(
                moves, pacing: pacing, capacity: .seconds(5), runtime: runtime, counts: frames, executor: thread)
        }
        take.begin()
        return take.stream
    }

    /// Stops reading and ends the stream.
    ///
    /// - Parameter mode: Ignored: a file is always closed.
    public func stop(_ mode: CaptureOptions.StopMode) async { await gate.stop() }
}

extension FileCapturer: MeasuredRecording {
    package var declaredDuration: Duration? { progress.duration.map { max(.zero, $0 - from) } }
}

/// The buffers of a file. Each buffer takes as long as its audio lasts.
private final class PlayedFile: PlayedSource {
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
public import DictationCore

/// Captures from an audio file instead of a microphone.
@available(*, unavailable, message: "Enable the “SoundFile” trait of swift-dictation.")
public final class FileCapturer: AudioCapturer {
    /// Makes a capturer, in a build with the trait.
    public init(
        path: String, raw: AudioFormat? = nil, track: Int = 1, channel: Int? = nil, from start: Duration = .zero,
        pacing: CaptureStream.Pacing = .onDemand, bufferDuration: Duration? = nil, inHelper: Bool = false
    ) {}

    // The protocol's requirements are here, so that every use of the type is an error that names the trait.
    /// Unavailable in this build.
    public var pacing: CaptureStream.Pacing { .live }
    /// Unavailable in this build.
    public func start(_ options: CaptureOptions) async throws(DictationError) -> CaptureStream {
        throw .notBuilt("SoundFile")
    }
    /// Unavailable in this build.
    public func stop(_ mode: CaptureOptions.StopMode) async {}
}
#endif

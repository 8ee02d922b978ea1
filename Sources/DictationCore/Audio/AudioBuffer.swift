/// A run of audio frames and where they lie on the timeline.
///
/// A buffer is a value that never changes; copies and slices share the samples.
public struct AudioBuffer: Sendable {
    /// How the samples are laid out.
    public let format: AudioFormat
    /// How many frames there are.
    public let frameCount: Int
    /// Where the first frame lies, since the first captured sample.
    public var start: Duration { didSet { start = start.onTimeline } }

    private static let mostBytes = 1 << 36
    private let storage: Storage
    private let firstFrame: Int

    /// Makes a buffer whose bytes are written by a closure, which is handed zeroed memory.
    ///
    /// A negative frame count, and one beyond any memory, is taken as none.
    public init<E: Error>(
        format: AudioFormat, start: Duration = .zero, frameCount: Int,
        writingBytes write: (UnsafeMutableRawBufferPointer) throws(E) -> Void
    ) throws(E) {
        let (byteCount, isTooLarge) = max(0, frameCount).multipliedReportingOverflow(by: max(0, format.bytesPerFrame))
        let frames = isTooLarge || byteCount > Self.mostBytes ? 0 : max(0, frameCount)
        let storage = Storage(byteCount: frames == 0 ? 0 : byteCount)
        try write(storage.bytes)
        self.init(format: format, start: start, frameCount: frames, storage: storage, firstFrame: 0)
    }

    /// Makes a buffer of 16-bit samples, interleaved; a frame that is not whole is left out.
    public init(_ samples: [Int16], sampleRate: Int = 16_000, channelCount: Int = 1, start: Duration = .zero) {
        self.init(samples, AudioFormat(sampleRate: sampleRate, channelCount: channelCount), start)
    }

    /// Makes a buffer of floating-point samples, interleaved; a frame that is not whole is left out.
    public init(_ samples: [Float], sampleRate: Int = 16_000, channelCount: Int = 1, start: Duration = .zero) {
        self.init(
            samples,
            AudioFormat(sampleRate: sampleRate, channelCount: channelCount, sampleType: .float32), start)
    }

    /// Makes a buffer of silence.
    public init(silence frameCount: Int, format: AudioFormat, start: Duration = .zero) {
        self.init(format: format, start: start, frameCount: frameCount) { _ in }
    }

    private init<Sample: BitwiseCopyable>(_ samples: [Sample], _ format: AudioFormat, _ start: Duration) {
        let frames = format.channelCount > 0 ? samples.count / format.channelCount : 0
        self.init(format: format, start: start, frameCount: frames) { bytes in
            samples.withUnsafeBytes { bytes.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<bytes.count])) }
        }
    }

    private init(format: AudioFormat, start: Duration, frameCount: Int, storage: Storage, firstFrame: Int) {
        self.format = format
        self.start = start.onTimeline
        self.frameCount = frameCount
        self.storage = storage
        self.firstFrame = firstFrame
    }

    /// Whether there are no frames.
    public var isEmpty: Bool { frameCount == 0 }
    /// How long the buffer lasts.
    public var duration: Duration { format.duration(ofFrames: Int64(frameCount)) }
    /// Where the frame after the last would lie.
    public var end: Duration { start + duration }
    /// Where the buffer lies.
    public var range: Range<Duration> { start..<max(start, end) }

    /// Whether the buffer goes on where other audio ended.
    package func follows(_ end: Duration) -> Bool {
        format.isSame(start, end)
    }

    /// The same frames from one to another; what lies outside the buffer is left out.
    public func slice(_ frames: Range<Int>) -> AudioBuffer {
        let inside = frames.clamped(to: 0..<frameCount)
        return AudioBuffer(
            format: format, start: start + format.duration(ofFrames: Int64(inside.lowerBound)),
            frameCount: inside.count, storage: storage, firstFrame: firstFrame + inside.lowerBound)
    }

    /// The same frames at another time.
    public func moved(to start: Duration) -> AudioBuffer {
        var moved = self
        moved.start = start
        return moved
    }

    /// Lends the samples' bytes; the pointer ends with the closure.
    public func withUnsafeBytes<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
        let size = max(0, format.bytesPerFrame)
        let bytes = storage.bytes[(firstFrame * size)..<((firstFrame + frameCount) * size)]
        return try body(UnsafeRawBufferPointer(rebasing: bytes))
    }

    /// Whether every sample is exactly zero, as from a muted or broken device.
    public var isDigitalSilence: Bool { withUnsafeBytes { $0.allSatisfy { $0 == 0 } } }

    private final class Storage: @unchecked Sendable {  // Written in `init` alone, before anyone else has it.
        let bytes: UnsafeMutableRawBufferPointer

        init(byteCount: Int) {
            bytes = .allocate(byteCount: byteCount, alignment: 16)
            bytes.initializeMemory(as: UInt8.self, repeating: 0)
        }

        deinit { bytes.deallocate() }
    }
}

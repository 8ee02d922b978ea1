import Glibc

/// A run of audio frames and its place on the timeline.
///
/// The samples never change. Copies and slices share them.
public struct AudioBuffer: Sendable {
    /// The format of the samples.
    public let format: AudioFormat
    /// The number of frames.
    public let frameCount: Int
    /// The time of the first frame, counted from the first captured sample.
    public var start: Duration { didSet { start = start.onTimeline } }

    private static let mostBytes = 1 << 36
    private let storage: Storage
    private let firstFrame: Int

    /// Creates a buffer and lets a closure write its bytes. The memory starts out as zeros.
    ///
    /// A negative or impossibly large frame count makes an empty buffer.
    ///
    /// - Parameters:
    ///   - format: The format of the samples.
    ///   - start: The time of the first frame.
    ///   - frameCount: The number of frames.
    ///   - write: Writes the interleaved samples.
    /// - Throws: The error of `write`.
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

    /// Creates a buffer of interleaved 16-bit samples. Leaves out an incomplete last frame.
    public init(_ samples: [Int16], sampleRate: Int = 16_000, channelCount: Int = 1, start: Duration = .zero) {
        self.init(samples, AudioFormat(sampleRate: sampleRate, channelCount: channelCount), start)
    }

    /// Creates a buffer of interleaved floating-point samples. Leaves out an incomplete last frame.
    public init(_ samples: [Float], sampleRate: Int = 16_000, channelCount: Int = 1, start: Duration = .zero) {
        self.init(
            samples,
            AudioFormat(sampleRate: sampleRate, channelCount: channelCount, sampleType: .float32), start)
    }

    /// Creates a buffer of silence.
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

    /// Whether the buffer has no frames.
    public var isEmpty: Bool { frameCount == 0 }
    /// The duration of the buffer.
    public var duration: Duration { format.duration(ofFrames: Int64(frameCount)) }
    /// The time after the last frame.
    public var end: Duration { start + duration }
    /// The range of times from the first frame to the end.
    public var range: Range<Duration> { start..<max(start, end) }

    /// Returns whether the buffer begins where other audio ended.
    package func follows(_ end: Duration) -> Bool {
        format.isSame(start, end)
    }

    /// Returns a part of the buffer. Frames outside the buffer are left out.
    public func slice(_ frames: Range<Int>) -> AudioBuffer {
        let inside = frames.clamped(to: 0..<frameCount)
        return AudioBuffer(
            format: format, start: start + format.duration(ofFrames: Int64(inside.lowerBound)),
            frameCount: inside.count, storage: storage, firstFrame: firstFrame + inside.lowerBound)
    }

    /// Returns the part from a time on. It is empty if the buffer ends before.
    package func after(_ time: Duration) -> AudioBuffer {
        let skipped = Int(clamping: format.frames(in: max(.zero, time - start)))
        return slice(min(frameCount, skipped)..<frameCount)
    }

    /// Returns the same frames at another time.
    public func moved(to start: Duration) -> AudioBuffer {
        var moved = self
        moved.start = start
        return moved
    }

    /// Calls a closure with the bytes of the samples. Use the pointer only inside the closure.
    public func withUnsafeBytes<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
        let size = max(0, format.bytesPerFrame)
        let bytes = storage.bytes[(firstFrame * size)..<((firstFrame + frameCount) * size)]
        return try body(UnsafeRawBufferPointer(rebasing: bytes))
    }

    /// Whether every sample is exactly zero, as from a muted or broken device.
    public var isDigitalSilence: Bool {
        withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress, let first = bytes.first else { return true }
            // Each byte is that before it. Without optimization a loop takes many times as long.
            return first == 0 && memcmp(start, start + 1, bytes.count - 1) == 0
        }
    }

    private final class Storage: @unchecked Sendable {  // Only written while a buffer is created.
        let bytes: UnsafeMutableRawBufferPointer

        init(byteCount: Int) {
            bytes = .allocate(byteCount: byteCount, alignment: 16)
            // Many times quicker without optimization than to initialize it byte by byte.
            if let start = bytes.baseAddress { memset(start, 0, byteCount) }
        }

        deinit { bytes.deallocate() }
    }
}

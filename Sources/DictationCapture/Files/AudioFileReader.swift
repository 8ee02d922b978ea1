#if SoundFile
public import DictationCore
import DictationSystem

/// Reads a recording from beginning to end, one buffer at a time, in constant memory.
///
/// It reads WAV, FLAC, Ogg Vorbis, Opus, MP3, AIFF and the other formats of libsndfile, and raw PCM if you pass the
/// format. For any other recording, such as a voice memo or a video, it runs FFmpeg, which has to be installed. FFmpeg
/// gets the open file only: it opens no other file, no device and no network address, even if the recording names one.
///
/// From a damaged or shortened file it returns all audio that can be read, then throws an error.
///
/// For a session use ``FileCapturer``. Use this reader for anything else:
///
///     var reader = try AudioFileReader(path: "note.flac")
///     while let buffer = try reader.read() { … }
public struct AudioFileReader: ~Copyable {
    /// The format of the buffers: the file's rate and channels, and a sample type that loses no precision.
    public let format: AudioFormat
    /// The number of frames that the file declares, or `nil` if it declares none. A damaged file may declare any
    /// number.
    public let frameCount: Int64?
    /// The number of channels in the file.
    public let channelCount: Int
    private let decoder: any FileDecoder
    /// The index of the only channel to return, or `nil` for all.
    private let channel: Int?
    private var nextFrame: Int64
    private var end: Result<Void, DictationError>?

    /// Opens a recording.
    ///
    /// - Parameters:
    ///   - path: The file's path. It is never an address or a pattern.
    ///   - raw: The format of raw PCM, which has no header. Pass `nil` for any other file.
    ///   - track: The number of the audio track, from 1. Only videos usually have several.
    ///   - channel: The number of the only channel to read, from 1, or `nil` for all channels.
    ///   - start: The time from which to read. A time after the end gives no audio.
    ///   - preferredFormat: The format that you convert to, or `nil` for the file's own. FFmpeg converts to it while it
    ///     decodes, except for two channels. Other files keep their format.
    ///   - inHelper: Whether libsndfile decodes the file in a process that can do nothing else; `DictationHelper` says which
    ///     program that is. A file that was made to take over its decoder then costs the recording and nothing else. FFmpeg
    ///     always has such a process.
    /// - Throws: `fileUnreadable` if the file can't be opened, is not a recording, or has no such track or channel;
    ///   `engineFailed` if there is no helper.
    public init(
        path: String, raw: AudioFormat? = nil, track: Int = 1, channel: Int? = nil, from start: Duration = .zero,
        preferredFormat: AudioFormat? = nil, inHelper: Bool = false
    ) throws(DictationError) {
        // The file is opened here because libsndfile reports every failure to open with the same error.
        try self.init(
            ReadableFile(path: path), raw: raw, track: track, channel: channel, from: start,
            preferredFormat: preferredFormat, inHelper: inHelper)
    }

    /// Checks that a file can be opened. Reads nothing from it, so that a program can find a wrong path before it loads a
    /// model.
    ///
    /// - Throws: `fileUnreadable` if the file does not exist, is no file, or may not be read.
    public static func checkAccess(to path: String) throws(DictationError) { _ = try ReadableFile(path: path) }

    /// Creates a reader of an open file.
    init(
        _ file: ReadableFile, raw: AudioFormat? = nil, track: Int = 1, channel: Int? = nil,
        from start: Duration = .zero, preferredFormat: AudioFormat? = nil, inHelper: Bool = false
    ) throws(DictationError) {
        let start = max(.zero, start)
        let decoder = try Self.decoder(
            of: file, raw, track, keepsChannels: channel != nil, preferredFormat, start, inHelper: inHelper)
        var format = decoder.format
        let count = format.channelCount
        if let channel, !(1...count).contains(channel) {
            throw DictationError(
                .fileUnreadable,
                "“\(file.path)” has \(count == 1 ? "one channel" : "\(count) channels"), and no channel \(channel).",
                recovery: count == 1 ? "Leave the channel out." : "Choose a channel from 1 to \(count).")
        }
        if channel != nil { format.channelCount = 1 }
        self.decoder = decoder
        self.format = format
        self.channel = channel.map { $0 - 1 }
        channelCount = count
        frameCount = decoder.frameCount
        nextFrame = format.frames(in: start)
    }

    /// Returns libsndfile's decoder, or FFmpeg's for a file or track that libsndfile does not read.
    private static func decoder(
        of file: ReadableFile, _ raw: AudioFormat?, _ track: Int, keepsChannels: Bool, _ preferred: AudioFormat?,
        _ start: Duration, inHelper: Bool
    ) throws(DictationError) -> any FileDecoder {
        if track == 1 {
            do throws(DictationError) {
                if inHelper { return try HelperDecoder(file, raw: raw, from: start) }
                return try SoundFileDecoder(file, raw: raw, from: start)
            } catch {
                if raw != nil || file.byteCount == 0 || error.code != .fileUnreadable { throw error }
            }
        }
        return try FFmpegDecoder(file, track: track, keepsChannels: keepsChannels, preferred: preferred, from: start)
    }

    /// The time at which the next buffer begins.
    public var position: Duration { format.duration(ofFrames: nextFrame) }

    /// Reads the next frames.
    ///
    /// - Parameter limit: The largest number of frames to read.
    /// - Returns: At least one frame, or `nil` at the end of the file.
    /// - Throws: `fileUnreadable` if the file is damaged or shorter than it declares. All readable audio comes first.
    public mutating func read(frames limit: Int = 4_096) throws(DictationError) -> AudioBuffer? {
        let limit = max(1, min(limit, 1 << 20))
        if let end {
            self.end = .success(())
            try end.get()
            return nil
        }
        var count = 0
        let buffer = AudioBuffer(format: decoder.format, start: position, frameCount: limit) { bytes in
            count = decoder.read(into: bytes)
        }
        nextFrame += Int64(count)
        if count < limit { end = decoder.ending(at: nextFrame) }
        guard count > 0 else { return try read() }
        let whole = buffer.slice(0..<count)
        return channel.map { whole.channel($0) } ?? whole
    }
}

extension AudioBuffer {
    /// Returns one of the channels.
    fileprivate func channel(_ index: Int) -> AudioBuffer {
        var single = format
        single.channelCount = 1
        let size = format.sampleType.byteCount
        return AudioBuffer(format: single, start: start, frameCount: frameCount) { out in
            withUnsafeBytes { bytes in
                for frame in 0..<frameCount {
                    let sample = (frame * format.channelCount + index) * size
                    UnsafeMutableRawBufferPointer(rebasing: out[frame * size..<(frame + 1) * size])
                        .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[sample..<sample + size]))
                }
            }
        }
    }
}
#else
public import DictationCore

/// Reads an audio file from beginning to end.
@available(*, unavailable, message: "Enable the “SoundFile” trait of swift-dictation.")
public struct AudioFileReader: ~Copyable {
    /// Opens a file, in a build with the trait.
    public init(
        path: String, raw: AudioFormat? = nil, track: Int = 1, channel: Int? = nil, from start: Duration = .zero,
        preferredFormat: AudioFormat? = nil, inHelper: Bool = false
    ) throws(DictationError) {}

    /// Checks that a file can be opened, in a build with the trait.
    public static func checkAccess(to path: String) throws(DictationError) {}
}
#endif

// A reader has a position in its file and one owner.
@available(*, unavailable) extension AudioFileReader: Sendable {}

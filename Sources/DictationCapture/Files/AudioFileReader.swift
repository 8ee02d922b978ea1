#if SoundFile
import CSoundFile
public import DictationCore
import DictationFiles
import DictationPlatform

/// Reads an audio file from beginning to end, one buffer at a time, in constant memory.
///
/// It reads WAV, FLAC, Ogg Vorbis, Opus, MP3, AIFF and the other formats of libsndfile. It also reads raw PCM if you
/// pass the format. From a damaged or shortened file it returns all audio that can be read, then throws an error.
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
    private let source: ReadableFile
    private let file: OpaquePointer
    private let promisedFrameCount: Int64?
    private var framesRead: Int64 = 0
    private var end: Result<Void, DictationError>?

    /// Opens an audio file.
    ///
    /// - Parameters:
    ///   - path: The file's path.
    ///   - raw: The format of raw PCM, which has no header. Pass `nil` for any other file.
    /// - Throws: `fileUnreadable` if the file can't be opened or is not an audio file.
    public init(path: String, raw: AudioFormat? = nil) throws(DictationError) {
        // The file is opened here because libsndfile reports every failure to open with the same error.
        try self.init(ReadableFile(path: path), raw: raw)
    }

    /// Creates a reader of an open file.
    init(_ source: ReadableFile, raw: AudioFormat? = nil) throws(DictationError) {
        var raw = try raw?.validated()
        let path = source.path
        let header = raw == nil ? try? WaveHeader(source) : nil
        // libsndfile finds no samples after a header without a length. The samples are then read as raw PCM.
        let unfinished = header.flatMap { $0.isUnfinished ? $0 : nil }
        raw = raw ?? unfinished?.format
        var info = SF_INFO()
        if let raw {
            info.samplerate = Int32(raw.sampleRate)
            info.channels = Int32(raw.channelCount)
            info.format = Int32(SF_FORMAT_RAW) | Int32(raw.sampleType.subformat) | Int32(SF_ENDIAN_CPU)
        }
        // libsndfile gets its own copy of the descriptor. It closes the descriptor of a file that it can't read, even
        // if told not to. Closing the same number again could close another file.
        let descriptor = fcntl(source.descriptor, F_DUPFD_CLOEXEC, 0)
        guard descriptor >= 0 else { throw .file("open", path, errno) }
        guard let file = sf_open_fd(descriptor, Int32(SFM_READ), &info, 1) else {
            throw Self.error(nil, path, "is not an audio file that can be read", recovery: Self.advice)
        }
        if let unfinished {
            var start: sf_count_t = unfinished.dataStart
            sf_command(file, Int32(SFC_SET_RAW_START_OFFSET), &start, Int32(MemoryLayout<sf_count_t>.size))
            sf_seek(file, 0, SEEK_SET)
            info.frames = (source.byteCount - start) / sf_count_t(unfinished.format.bytesPerFrame)
        }
        let type = AudioFormat.SampleType(subformat: info.format)
        let format = AudioFormat(
            sampleRate: Int(info.samplerate), channelCount: Int(info.channels), sampleType: type)
        do { self.format = try format.validated() } catch {
            sf_close(file)
            throw DictationError(
                .fileUnreadable, "“\(path)” has an impossible audio format: \(format).",
                recovery: Self.advice)
        }
        // libsndfile reports an unknown length as the largest number.
        frameCount = info.frames > 0 && info.frames < .max ? Int64(info.frames) : nil
        promisedFrameCount = header?.promisedFrameCount
        self.source = source
        self.file = file
    }

    deinit { sf_close(file) }

    /// The time at which the next buffer begins.
    public var position: Duration { format.duration(ofFrames: framesRead) }

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
        var count: sf_count_t = 0
        let buffer = AudioBuffer(format: format, start: position, frameCount: limit) { bytes in
            count = Self.read(file, bytes, format.sampleType, sf_count_t(limit))
        }
        count = max(0, count)
        framesRead += Int64(count)
        if count < limit { end = ending }
        return count > 0 ? buffer.slice(0..<Int(count)) : try read()
    }

    /// How the file ends: an error if it is damaged or shortened.
    private var ending: Result<Void, DictationError> {
        let advice = "Use what was read, or get the file again."
        if sf_error(file) != 0 {
            return .failure(Self.error(file, source.path, "is damaged after \(position)", recovery: advice))
        }
        // Some writers add the header's length to the audio's length, so a few missing frames are normal.
        let missing = (promisedFrameCount ?? 0) - framesRead
        guard missing > format.frames(in: .milliseconds(50)) else { return .success(()) }
        let whole = format.duration(ofFrames: framesRead + missing)
        return .failure(
            DictationError(
                .fileUnreadable, "“\(source.path)” ends too early, after \(position) of \(whole).", recovery: advice)
        )
    }

    private static let advice =
        "Use WAV, FLAC, Ogg Vorbis, Opus, MP3 or AIFF. For raw PCM pass the format as `raw:`."

    private static func read(
        _ file: OpaquePointer, _ bytes: UnsafeMutableRawBufferPointer, _ type: AudioFormat.SampleType,
        _ count: sf_count_t
    ) -> sf_count_t {
        guard let base = bytes.baseAddress else { return 0 }
        switch type {
        case .int16: return sf_readf_short(file, base.assumingMemoryBound(to: Int16.self), count)
        case .int24, .int32: return sf_readf_int(file, base.assumingMemoryBound(to: Int32.self), count)
        case .float32: return sf_readf_float(file, base.assumingMemoryBound(to: Float.self), count)
        case .float64: return sf_readf_double(file, base.assumingMemoryBound(to: Double.self), count)
        }
    }

    private static func error(_ file: OpaquePointer?, _ path: String, _ what: String, recovery: String)
        -> DictationError
    {
        let code = sf_error(file)
        let words = sf_error_number(code).map { String(cString: $0) }
        return DictationError(
            .fileUnreadable, "“\(path)” \(what).", recovery: recovery,
            underlying: .init(domain: "libsndfile", code: Int(code), message: words))
    }
}

extension AudioFormat.SampleType {
    /// Creates the type that holds every sample of a libsndfile format. libsndfile reads 24-bit samples as 32 bits.
    fileprivate init(subformat: Int32) {
        switch Int(subformat) & Int(SF_FORMAT_SUBMASK) {
        case Int(SF_FORMAT_PCM_24), Int(SF_FORMAT_PCM_32), Int(SF_FORMAT_ALAC_20), Int(SF_FORMAT_ALAC_24),
            Int(SF_FORMAT_ALAC_32):
            self = .int32
        case Int(SF_FORMAT_DOUBLE): self = .float64
        case Int(SF_FORMAT_FLOAT), Int(SF_FORMAT_VORBIS), Int(SF_FORMAT_OPUS),
            Int(SF_FORMAT_MPEG_LAYER_I), Int(SF_FORMAT_MPEG_LAYER_II), Int(SF_FORMAT_MPEG_LAYER_III):
            self = .float32
        default: self = .int16
        }
    }

    fileprivate var subformat: Int {
        switch self {
        case .int16: Int(SF_FORMAT_PCM_16)
        case .int24: Int(SF_FORMAT_PCM_24)
        case .int32: Int(SF_FORMAT_PCM_32)
        case .float32: Int(SF_FORMAT_FLOAT)
        case .float64: Int(SF_FORMAT_DOUBLE)
        }
    }
}
#else
public import DictationCore

/// Reads an audio file from beginning to end.
@available(*, unavailable, message: "Enable the 'SoundFile' trait")
public struct AudioFileReader: ~Copyable {
    /// Opens a file, in a build with the trait.
    public init(path: String, raw: AudioFormat? = nil) throws(DictationError) {}
}
#endif

// A reader has a position in its file and one owner.
@available(*, unavailable) extension AudioFileReader: Sendable {}

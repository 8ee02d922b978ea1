#if SoundFile
import CSoundFile
public import DictationCore
import DictationFiles
import Glibc

/// Reads an audio file from its beginning to its end, a piece at a time, in constant memory. A file that is damaged or
/// cut short gives all that can be read, then an error.
///
/// It reads WAV, FLAC, Ogg Vorbis, Opus, MP3, AIFF and what else libsndfile knows; and raw PCM, whose format has to
/// be told. Use `FileCapturer` for a session, this one for anything else:
///
///     var reader = try AudioFileReader(path: "note.flac")
///     while let buffer = try reader.read() { … }
public struct AudioFileReader: ~Copyable {
    /// The format that buffers come in: the file's rate and channels, and a sample type that loses nothing.
    public let format: AudioFormat
    /// How many frames there are, as far as the file says; a damaged one may say anything.
    public let frameCount: Int64?
    private let source: ReadableFile
    private let file: OpaquePointer
    private let promisedFrameCount: Int64?
    private var framesRead: Int64 = 0
    private var end: Result<Void, DictationError>?

    /// Opens a file; `raw` is the format of one that has no header of its own.
    public init(path: String, raw: AudioFormat? = nil) throws(DictationError) {
        // Opened here, since libsndfile has one error for all that can go wrong with opening.
        try self.init(ReadableFile(path: path), raw: raw)
    }

    /// Reads an open file.
    init(_ source: ReadableFile, raw: AudioFormat? = nil) throws(DictationError) {
        var raw = try raw?.validated()
        let path = source.path
        let header = raw == nil ? try? WaveHeader(source) : nil
        // libsndfile finds no samples behind a header without a length.
        let unfinished = header.flatMap { $0.isUnfinished ? $0 : nil }
        raw = raw ?? unfinished?.format
        var info = SF_INFO()
        if let raw {
            info.samplerate = Int32(raw.sampleRate)
            info.channels = Int32(raw.channelCount)
            info.format = Int32(SF_FORMAT_RAW) | Int32(raw.sampleType.subformat) | Int32(SF_ENDIAN_CPU)
        }
        // It is given a descriptor of its own to close: it closes the one that it can't read whatever it is told, and the
        // number may be another file's by the time when we would close it.
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
                .fileUnreadable, "“\(path)” claims a format of \(format), which audio can't have.",
                recovery: Self.advice)
        }
        // libsndfile says that it doesn't know by the largest number.
        frameCount = info.frames > 0 && info.frames < .max ? Int64(info.frames) : nil
        promisedFrameCount = header?.promisedFrameCount
        self.source = source
        self.file = file
    }

    deinit { sf_close(file) }

    /// Where the next buffer begins.
    public var position: Duration { format.duration(ofFrames: framesRead) }

    /// The next frames, at most so many; `nil` at the end.
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

    /// How the file ends where no more of it can be read.
    private var ending: Result<Void, DictationError> {
        let advice = "Use what was read, or get the file again."
        if sf_error(file) != 0 {
            return .failure(Self.error(file, source.path, "is damaged after \(position)", recovery: advice))
        }
        // Some writers count their header as well; nothing is said in so short a time.
        let missing = (promisedFrameCount ?? 0) - framesRead
        guard missing > format.frames(in: .milliseconds(50)) else { return .success(()) }
        let whole = format.duration(ofFrames: framesRead + missing)
        return .failure(
            DictationError(
                .fileUnreadable, "“\(source.path)” is cut short: it has \(position) of \(whole).", recovery: advice)
        )
    }

    private static let advice =
        "Use WAV, FLAC, Ogg Vorbis, Opus, MP3 or AIFF; say the format of raw PCM with `raw:`."

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
    /// The type that holds every sample of a libsndfile format; it reads 24 bits into 32.
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
/// Reads an audio file from its beginning to its end.
@available(*, unavailable, message: "Enable the 'SoundFile' trait")
public struct AudioFileReader: ~Copyable {}
#endif

// It has a place in its file, and one owner.
@available(*, unavailable) extension AudioFileReader: Sendable {}

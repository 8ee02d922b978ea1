#if SoundFile
import CSoundFile
import DictationCore
import DictationSystem

/// Decodes a file with libsndfile.
final class SoundFileDecoder: FileDecoder {
    let format: AudioFormat
    let frameCount: Int64?
    private let source: ReadableFile
    private let file: OpaquePointer
    private let promisedFrameCount: Int64?
    private let container: Int
    /// How many samples were no numbers, and the time of the first.
    private var strange: (count: Int, first: Int64)?
    private var readCount: Int64 = 0

    /// Opens a file.
    ///
    /// - Throws: `fileUnreadable` if libsndfile can't read the file, or can't read it from the time on.
    init(_ source: ReadableFile, raw: AudioFormat?, from start: Duration) throws(DictationError) {
        var raw = try raw?.validated()
        let path = source.path
        let layout = raw == nil ? try? WaveLayout(source) : nil
        let header = layout.flatMap { try? WaveHeader(source, $0) }
        // libsndfile finds no samples after a header without a length. The samples are then read as raw PCM.
        let unfinished = header.flatMap { $0.layout.isUnfinished ? $0 : nil }
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
            var start: sf_count_t = unfinished.layout.dataStart
            sf_command(file, Int32(SFC_SET_RAW_START_OFFSET), &start, Int32(MemoryLayout<sf_count_t>.size))
            sf_seek(file, 0, SEEK_SET)
            info.frames = (source.byteCount - start) / sf_count_t(unfinished.format.bytesPerFrame)
        }
        let type = AudioFormat.SampleType(subformat: info.format)
        let format = AudioFormat(
            sampleRate: Int(info.samplerate), channelCount: Int(info.channels), sampleType: type)
        do throws(DictationError) {
            self.format = try format.validated()
            readCount = format.frames(in: start)
            try Self.move(file, to: format.frames(in: start), of: info.frames, path)
        } catch {
            sf_close(file)
            throw error.code == .fileUnreadable
                ? error
                : DictationError(
                    .fileUnreadable, "“\(path)” has an impossible audio format: \(format).", recovery: Self.advice)
        }
        // libsndfile reports an unknown length as the largest number.
        let frames = info.frames > 0 && info.frames < .max ? Int64(info.frames) : nil
        frameCount = frames
        container = Int(info.format) & Int(SF_FORMAT_TYPEMASK)
        promisedFrameCount =
            switch container {
            // Ogg's count may be a little greater than what is read.
            case Int(SF_FORMAT_FLAC): frames
            case Int(SF_FORMAT_OGG): frames.map { $0 - format.frames(in: .milliseconds(500)) }
            case Int(SF_FORMAT_MPEG): DeclaredLength.isKnown(inMP3: source) ? frames : nil
            case Int(SF_FORMAT_AU), Int(SF_FORMAT_AIFF), Int(SF_FORMAT_W64):
                DeclaredLength.frames(of: file, byteCount: source.byteCount, there: info.frames)
            // libsndfile counts the samples that are there, and reads kinds that the header above does not.
            default:
                header?.promisedFrameCount
                    ?? layout.flatMap { layout in
                        frames.map { $0 + format.frames(in: layout.missing(in: source)) }
                    }
            }
        self.source = source
        self.file = file
    }

    deinit { sf_close(file) }

    func read(into bytes: UnsafeMutableRawBufferPointer) -> Int {
        guard let base = bytes.baseAddress else { return 0 }
        let limit = sf_count_t(bytes.count / format.bytesPerFrame)
        let count =
            switch format.sampleType {
            case .int16: sf_readf_short(file, base.assumingMemoryBound(to: Int16.self), limit)
            case .int24, .int32: sf_readf_int(file, base.assumingMemoryBound(to: Int32.self), limit)
            case .float32: sf_readf_float(file, base.assumingMemoryBound(to: Float.self), limit)
            case .float64: sf_readf_double(file, base.assumingMemoryBound(to: Double.self), limit)
            }
        countStrange(bytes, Int(max(0, count)))
        readCount += max(0, count)
        return Int(max(0, count))
    }

    /// A magnitude that no sound has, in floats of which 1 is full scale: 36 dB above it.
    private static let loudest: Float = 64

    /// Counts the samples that can't be sound. Engines hear those that are no numbers as silence, and all others as full scale.
    private func countStrange(_ bytes: UnsafeMutableRawBufferPointer, _ frameCount: Int) {
        let count = frameCount * format.channelCount
        let found =
            switch format.sampleType {
            case .float32 where !isStream:
                bytes.bindMemory(to: Float.self).prefix(count).count { !($0.magnitude < Self.loudest) }
            case .float64:
                bytes.bindMemory(to: Double.self).prefix(count).count { !($0.magnitude < Double(Self.loudest)) }
            default: 0
            }
        if found > 0 { strange = ((strange?.count ?? 0) + found, strange?.first ?? readCount) }
    }

    func ending(at frame: Int64) -> Result<Void, DictationError> {
        let end = containerEnd
        if end == .anotherRecording, let error = error(end, of: source.path, after: frame) { return .failure(error) }
        if sf_error(file) != 0 {
            let what = "is damaged after \(seconds(frame))"
            return .failure(Self.error(file, source.path, what, recovery: Self.damageAdvice))
        }
        // Some writers add the header's length to the audio's length, so a few missing frames are normal.
        let promised = promisedFrameCount ?? 0
        if promised - frame > format.frames(in: .milliseconds(50)) {
            return .failure(shortened(source.path, at: frame, of: promised))
        }
        if let strange {
            return .failure(
                DictationError(
                    .fileUnreadable,
                    "“\(source.path)” has \(strange.count) samples that are no numbers or far beyond full scale, from \(seconds(strange.first)) on.",
                    recovery: "Full scale is from -1 to 1. Scale the samples, or get the file again."))
        }
        return error(end, of: source.path, after: frame).map { .failure($0) } ?? .success(())
    }

    /// How the file ends after the recording that libsndfile reads, which is the first, as in two MP3 files that someone
    /// joined.
    private var containerEnd: ContainerEnd {
        if container == Int(SF_FORMAT_RAW) { return .whole }
        guard isStream else { return ContainerEnd(source) }
        if anotherStreamFollows { return .anotherRecording }
        switch container {
        case Int(SF_FORMAT_OGG): return DeclaredLength.endsInsideOggPage(source) ? .early : .whole
        // libFLAC has read a part of what follows the last frame that the header counts.
        case Int(SF_FORMAT_FLAC):
            return ContainerEnd(source, readTo: Int64(lseek(source.descriptor, 0, SEEK_CUR)) + 1 << 14)
        default: return .whole
        }
    }

    /// Whether the file is of a kind that has no lengths to follow.
    private var isStream: Bool {
        switch container {
        case Int(SF_FORMAT_OGG), Int(SF_FORMAT_FLAC), Int(SF_FORMAT_MPEG): true
        default: false
        }
    }

    private var anotherStreamFollows: Bool {
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        // libsndfile's copy of the descriptor shares the place in the file.
        let place = lseek(source.descriptor, 0, SEEK_CUR)
        guard place >= 0 else { return false }
        let count = pread(source.descriptor, &bytes, bytes.count, place)
        let rest = bytes.prefix(max(0, count))
        switch container {
        case Int(SF_FORMAT_OGG): return rest.firstRange(of: Array("OggS".utf8)) != nil
        case Int(SF_FORMAT_FLAC):
            // The marker, and the head of the block that comes first. libFLAC has read a part of what follows its audio.
            let start: [UInt8] = Array("fLaC".utf8) + [0, 0, 0, 34]
            let before = pread(source.descriptor, &bytes, bytes.count, max(1, place - bytes.count))
            return bytes.prefix(max(0, before)).firstRange(of: start) != nil || rest.firstRange(of: start) != nil
        default: return rest.starts(with: Array("ID3".utf8)) || rest.starts(with: [0xFF])
        }
    }

    private static let advice =
        "Use WAV, FLAC, Ogg Vorbis, Opus, MP3 or AIFF. Raw samples need a header, or in Swift the format as `raw:`."

    /// Moves to a frame, or to the end of a file that has fewer.
    private static func move(
        _ file: OpaquePointer, to frame: Int64, of count: sf_count_t, _ path: String
    ) throws(DictationError) {
        let target = min(max(0, frame), Int64(count))
        guard target > 0, sf_seek(file, sf_count_t(target), SEEK_SET) < 0 else { return }
        throw error(file, path, "can't be read from a time on", recovery: "Read it from the beginning.")
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
#endif

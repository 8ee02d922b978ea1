import DictationCore
import DictationSystem

/// A WAV file, read without any library.
///
/// It reads RIFF and RF64 files with 16-bit, 24-bit, 32-bit or floating-point samples. If the header has no length,
/// because its writer was killed, the samples last to the end of the file.
final class WaveFile: Sendable {
    let format: AudioFormat
    private let file: ReadableFile
    private let dataStart: Int64
    /// The number of bytes of audio that the header declares, or `nil` if it declares none.
    private let declaredByteCount: Int64?

    /// Opens a file.
    ///
    /// - Parameters:
    ///   - path: The file's path.
    ///   - lastsToEndOfFile: Whether to ignore the header's length and read to the end of the file. Pass `true` for a
    ///     file that is not closed yet.
    init(path: String, lastsToEndOfFile: Bool = false) throws(DictationError) {
        file = try ReadableFile(path: path)
        let header = try WaveHeader(file)
        format = header.format
        dataStart = header.layout.dataStart
        declaredByteCount = lastsToEndOfFile ? nil : header.layout.dataByteCount
    }

    var path: String { file.path }

    /// The current number of whole frames.
    var frameCount: Int64 {
        let there = max(0, file.byteCount - dataStart)
        return min(there, declaredByteCount ?? there) / Int64(format.bytesPerFrame)
    }

    /// Reads `count` frames from a frame on. At the end of the file it returns fewer or none.
    func read(from frame: Int64, count: Int) throws(DictationError) -> AudioBuffer {
        let frames = Int(max(0, min(Int64(count), frameCount - frame)))
        let start = format.duration(ofFrames: frame)
        var filled = 0
        let buffer = try AudioBuffer(format: format, start: start, frameCount: frames) { bytes throws(DictationError) in
            let offset = dataStart + frame * Int64(format.bytesPerFrame)
            filled = try file.read(into: bytes, from: offset)
        }
        return buffer.slice(0..<filled / format.bytesPerFrame)
    }
}

/// The contents of the chunks before a WAV file's samples.
struct WaveHeader {
    let format: AudioFormat
    let layout: WaveLayout

    /// The number of frames that the header declares, or `nil` if its writer did not know.
    var promisedFrameCount: Int64? { layout.promisedByteCount.map { $0 / Int64(format.bytesPerFrame) } }

    init(_ file: ReadableFile) throws(DictationError) { try self.init(file, WaveLayout(file)) }

    init(_ file: ReadableFile, _ layout: WaveLayout) throws(DictationError) {
        format = try Self.format(file, at: layout.formatStart, byteCount: layout.formatByteCount)
        self.layout = layout
    }

    private static func format(_ file: ReadableFile, at offset: Int64, byteCount: Int64) throws(DictationError)
        -> AudioFormat
    {
        guard byteCount >= 16, let chunk = try Chunk(file, at: offset, headerByteCount: 16) else {
            throw bad(file, "has an incomplete format header")
        }
        var tag = chunk.uint16(0)
        let bits = chunk.uint16(14)
        if tag == 0xFFFE, byteCount >= 40, let extended = try Chunk(file, at: offset, headerByteCount: 40) {
            tag = extended.uint16(24)
        }
        let type: AudioFormat.SampleType
        switch (tag, bits) {
        case (1, 16): type = .int16
        case (1, 24): type = .int24
        case (1, 32): type = .int32
        case (3, 32): type = .float32
        case (3, 64): type = .float64
        default: throw bad(file, "has samples of format \(tag) with \(bits) bits, which can't be read")
        }
        let format = AudioFormat(
            sampleRate: Int(chunk.uint32(4)), channelCount: Int(chunk.uint16(2)), sampleType: type)
        do { return try format.validated() } catch { throw bad(file, "has an impossible audio format: \(format)") }
    }

    fileprivate static func bad(_ file: ReadableFile, _ what: String) -> DictationError {
        DictationError(
            .fileUnreadable, "“\(file.path)” \(what).",
            recovery: "Convert it to a WAV file of 16, 24 or 32 bits, or enable the “SoundFile” trait.")
    }
}

/// Where the parts of a WAV file are, with samples of any kind.
struct WaveLayout {
    fileprivate private(set) var formatStart: Int64 = 0
    fileprivate private(set) var formatByteCount: Int64 = 0
    private(set) var dataStart: Int64 = 0
    /// The length of the samples that the header declares; `nil` if its writer did not know.
    private(set) var dataByteCount: Int64?
    /// Whether the file's writer ended before it filled in the length.
    private(set) var isUnfinished = false
    /// The bytes of a second of audio, as the header says.
    private(set) var bytesPerSecond = 0

    init(_ file: ReadableFile) throws(DictationError) {
        let riff = try Chunk(file, at: 0, headerByteCount: 12)
        guard let riff, riff.isNamed("RIFF") || riff.isNamed("RF64"), riff.isNamed("WAVE", at: 8) else {
            throw WaveHeader.bad(file, "is not a WAV file")
        }
        var longByteCount: Int64?
        var offset: Int64 = 12
        // The limit guards against a file that consists of a million empty chunks.
        for _ in 0..<1_000 {
            guard let chunk = try Chunk(file, at: offset, headerByteCount: 8) else { break }
            offset += 8
            let byteCount = Int64(chunk.uint32(4))
            if chunk.isNamed("ds64"), let sizes = try Chunk(file, at: offset, headerByteCount: 16) {
                let long = UInt64(sizes.uint32(8)) | UInt64(sizes.uint32(12)) << 32
                longByteCount = Int64(exactly: long)
            } else if chunk.isNamed("fmt ") {
                (formatStart, formatByteCount) = (offset, byteCount)
                bytesPerSecond = Int(try Chunk(file, at: offset, headerByteCount: 12)?.uint32(8) ?? 0)
            } else if chunk.isNamed("data") {
                guard formatStart > 0 else { throw WaveHeader.bad(file, "has samples before their format") }
                dataStart = offset
                let isUnknown = byteCount == 0 || byteCount >= 0xFFFF_FF00
                let follows = try Chunk(file, at: offset, headerByteCount: 8)
                isUnfinished =
                    byteCount == 0 && (Int64(riff.uint32(4)) < offset || follows.map { !$0.isNamed } ?? false)
                dataByteCount = isUnknown ? longByteCount.flatMap { $0 > 0 ? $0 : nil } : byteCount
                return
            }
            offset += byteCount + byteCount % 2
        }
        throw WaveHeader.bad(file, "has no samples")
    }

    /// The length that can be relied on. A writer to a pipe does not know it.
    var promisedByteCount: Int64? { dataByteCount.flatMap { $0 < 0x7FF0_0000 ? $0 : nil } }

    /// The length of the audio that the file lacks.
    func missing(in file: ReadableFile) -> Duration {
        guard let promisedByteCount, bytesPerSecond > 0 else { return .zero }
        let missing = max(0, promisedByteCount - max(0, file.byteCount - dataStart))
        return .seconds(1) * Int(missing) / bytesPerSecond
    }
}

/// The first bytes of a chunk in a WAV file.
private struct Chunk {
    private var bytes: [UInt8]

    /// Reads the bytes. Returns `nil` if the file ends before them.
    init?(_ file: ReadableFile, at offset: Int64, headerByteCount: Int) throws(DictationError) {
        bytes = [UInt8](repeating: 0, count: headerByteCount)
        var count = 0
        try bytes.withMutableBytes { raw throws(DictationError) in count = try file.read(into: raw, from: offset) }
        if count < headerByteCount { return nil }
    }

    /// Whether it begins with a name, as samples hardly do.
    var isNamed: Bool { bytes[..<4].allSatisfy { (0x20..<0x7F).contains($0) } }
    func isNamed(_ name: String, at offset: Int = 0) -> Bool { bytes[offset..<offset + 4].elementsEqual(name.utf8) }
    func uint16(_ offset: Int) -> UInt16 { UInt16(bytes[offset]) | UInt16(bytes[offset + 1]) << 8 }
    func uint32(_ offset: Int) -> UInt32 { UInt32(uint16(offset)) | UInt32(uint16(offset + 2)) << 16 }
}

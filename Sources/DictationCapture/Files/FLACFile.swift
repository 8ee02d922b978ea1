#if SoundFile
import CSoundFile
import DictationSystem

/// Writes FLAC files in memory. They hold the same samples as WAV files, in about half as many bytes.
package enum FLACFile {
    /// Returns a file of mono samples; `nil` if this machine's libsndfile can't write FLAC.
    package static func bytes(of samples: [Int16], sampleRate: Int) -> [UInt8]? {
        let memory = FileMemory()
        var access = SF_VIRTUAL_IO(
            get_filelen: { memory in FileMemory.from(memory).count },
            seek: { offset, origin, memory in FileMemory.from(memory).seek(offset, from: origin) },
            read: { bytes, count, memory in FileMemory.from(memory).read(into: bytes, count) },
            write: { bytes, count, memory in FileMemory.from(memory).write(bytes, count) },
            tell: { memory in FileMemory.from(memory).place })
        var info = SF_INFO()
        info.samplerate = Int32(clamping: sampleRate)
        info.channels = 1
        info.format = Int32(SF_FORMAT_FLAC) | Int32(SF_FORMAT_PCM_16)
        let context = Unmanaged.passUnretained(memory).toOpaque()
        guard let file = sf_open_virtual(&access, Int32(SFM_WRITE), &info, context) else { return nil }
        let count = sf_write_short(file, samples, sf_count_t(samples.count))
        let isWhole = sf_close(file) == 0 && count == sf_count_t(samples.count)
        return isWhole ? memory.bytes : nil
    }
}

/// The bytes of a file that libsndfile writes, and the place where it goes on.
private final class FileMemory {
    private(set) var bytes: [UInt8] = []
    private(set) var place: sf_count_t = 0

    var count: sf_count_t { sf_count_t(bytes.count) }

    static func from(_ context: UnsafeMutableRawPointer?) -> FileMemory {
        // libsndfile passes what it was given. Another object only keeps a null from being a trap.
        context.map { Unmanaged<FileMemory>.fromOpaque($0).takeUnretainedValue() } ?? FileMemory()
    }

    func seek(_ offset: sf_count_t, from origin: Int32) -> sf_count_t {
        let start = origin == SEEK_CUR ? place : origin == SEEK_END ? count : 0
        place = max(0, min(count, start.addingReportingOverflow(offset).partialValue))
        return place
    }

    func read(into target: UnsafeMutableRawPointer?, _ wanted: sf_count_t) -> sf_count_t {
        let end = Int(min(count, place + max(0, wanted)))
        guard let target, end > Int(place) else { return 0 }
        let part = bytes[Int(place)..<end]
        UnsafeMutableRawBufferPointer(start: target, count: part.count).copyBytes(from: part)
        place += sf_count_t(part.count)
        return sf_count_t(part.count)
    }

    func write(_ source: UnsafeRawPointer?, _ count: sf_count_t) -> sf_count_t {
        guard let source, count > 0 else { return 0 }
        let end = min(bytes.count, Int(place) + Int(count))
        bytes.replaceSubrange(Int(place)..<end, with: UnsafeRawBufferPointer(start: source, count: Int(count)))
        place += count
        return count
    }
}
#endif

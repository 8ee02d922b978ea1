#if SoundFile
import CSoundFile
import DictationSystem

/// The lengths that headers declare, for formats in which libsndfile counts only the samples that are there.
enum DeclaredLength {
    /// The number of frames that the header of an AU, AIFF or W64 file declares, if the file is shorter than that.
    ///
    /// libsndfile notes the sizes that it read, and those that it expected from the length of the file.
    static func frames(of file: OpaquePointer, byteCount: Int64, there: Int64) -> Int64? {
        var bytes = [CChar](repeating: 0, count: 16_384)
        guard sf_command(file, Int32(SFC_GET_LOG_INFO), &bytes, Int32(bytes.count)) > 0 else { return nil }
        let log = String(decoding: bytes.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        for line in log.split(separator: "\n") {
            let words = line.split { !$0.isLetter && !$0.isNumber }
            guard ["data", "SSND"].contains(words.first) || words.starts(with: ["Data", "Size"]) else { continue }
            let numbers = words.compactMap { Int64($0) }
            guard let declared = numbers.first, declared < .max / max(1, there) else { continue }
            let real = numbers.count > 1 ? numbers[1] : byteCount
            guard real > 0, declared > real, declared - real < Int64(UInt32.max) else { return nil }
            return Int64(Double(there) * Double(declared) / Double(real))
        }
        return nil
    }

    /// Whether the first frame of an MP3 file tells the number of frames. For other files libsndfile estimates it.
    static func isKnown(inMP3 file: ReadableFile) -> Bool {
        var bytes = [UInt8](repeating: 0, count: 10)
        guard read(file, from: 0, into: &bytes) == 10 else { return false }
        let size = bytes[6..<10].reduce(Int64(0)) { $0 << 7 | Int64($1 & 0x7F) }
        let start = bytes.starts(with: "ID3".utf8) ? 10 + size : 0
        bytes = [UInt8](repeating: 0, count: 200)
        _ = read(file, from: start, into: &bytes)
        return ["Xing", "Info"].contains { bytes.firstRange(of: Array($0.utf8)) != nil }
    }

    /// Whether an Ogg file was cut: its last page is not whole.
    static func endsInsideOggPage(_ file: ReadableFile) -> Bool {
        // A page has at most 65,307 bytes.
        var bytes = [UInt8](repeating: 0, count: 1 << 17)
        let start = max(0, file.byteCount - Int64(bytes.count))
        let count = read(file, from: start, into: &bytes)
        let end = bytes[..<count]
        let mark = Array("OggS".utf8)
        guard let page = end.indices.last(where: { end[$0...].starts(with: mark) }) else { return true }
        let header = end[page...].prefix(27)
        guard header.count == 27, let parts = header.last.map(Int.init) else { return true }
        let lengths = end[(page + 27)...].prefix(parts)
        return lengths.count < parts || end.count < page + 27 + parts + lengths.reduce(0) { $0 + Int($1) }
    }

    private static func read(_ file: ReadableFile, from offset: Int64, into bytes: inout [UInt8]) -> Int {
        bytes.withUnsafeMutableBytes { (try? file.read(into: $0, from: offset)) ?? 0 }
    }
}
#endif

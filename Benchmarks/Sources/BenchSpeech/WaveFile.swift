import DictationCore
import FoundationEssentials
import Glibc

extension [[Int16]] {
    /// Writes the pieces of one channel, one after another, as a WAV file with a header of 44 bytes.
    ///
    /// It copies no samples, because the peak memory of a child process begins at the memory of this process.
    package func writeWave(sampleRate: Int = 16_000, to file: URL) throws {
        let size = 2 * reduce(0) { $0 + $1.count }
        var header = Data("RIFF".utf8)
        func put(_ fields: any FixedWidthInteger...) {
            for field in fields { append(field) }
        }
        func append(_ field: some FixedWidthInteger) {
            Swift.withUnsafeBytes(of: field.littleEndian) { header.append(contentsOf: $0) }
        }
        put(UInt32(36 + size))
        header.append(contentsOf: "WAVEfmt ".utf8)
        put(UInt32(16), UInt16(1), UInt16(1), UInt32(sampleRate), UInt32(2 * sampleRate), UInt16(2), UInt16(16))
        header.append(contentsOf: "data".utf8)
        put(UInt32(size))

        let stream = fopen(file.path, "w")
        var written = stream.map { stream in header.withUnsafeBytes { fwrite($0.baseAddress, 1, $0.count, stream) } }
        for piece in self {
            written? += piece.withUnsafeBytes { fwrite($0.baseAddress, 1, $0.count, stream) }
        }
        guard let stream, fclose(stream) == 0, written == header.count + size else {
            throw DictationError(.storageFull, "\(file.path) can't be written: \(String(cString: strerror(errno)))")
        }
    }
}

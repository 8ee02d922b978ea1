import FoundationEssentials

extension [Int16] {
    /// Writes the samples of one channel as a WAV file with a header of 44 bytes.
    package func writeWave(sampleRate: Int = 16_000, to file: URL) throws {
        var data = Data("RIFF".utf8)
        func put(_ fields: any FixedWidthInteger...) {
            for field in fields { append(field) }
        }
        func append(_ field: some FixedWidthInteger) {
            Swift.withUnsafeBytes(of: field.littleEndian) { data.append(contentsOf: $0) }
        }
        put(UInt32(36 + 2 * count))
        data.append(contentsOf: "WAVEfmt ".utf8)
        put(UInt32(16), UInt16(1), UInt16(1), UInt32(sampleRate), UInt32(2 * sampleRate), UInt16(2), UInt16(16))
        data.append(contentsOf: "data".utf8)
        put(UInt32(2 * count))
        withUnsafeBytes { data.append(contentsOf: $0) }
        try data.write(to: file)
    }
}

package import DictationCore

/// WAV files as bytes.
package enum WaveBytes {
    package static let headerByteCount = 44

    /// Returns what stands before the samples. A length that does not fit is the greatest one.
    package static func header(_ format: AudioFormat, sampleByteCount: Int64) -> [UInt8] {
        var header: [UInt8] = []
        func append(_ text: String) { header += Array(text.utf8) }
        func append<Number: FixedWidthInteger>(_ number: Number) {
            withUnsafeBytes(of: number.littleEndian) { header += Array($0) }
        }
        let isFloat = format.sampleType == .float32 || format.sampleType == .float64
        append("RIFF")
        append(UInt32(clamping: sampleByteCount + Int64(headerByteCount) - 8))
        append("WAVEfmt ")
        append(UInt32(16))
        append(UInt16(isFloat ? 3 : 1))
        append(UInt16(clamping: format.channelCount))
        append(UInt32(clamping: format.sampleRate))
        append(UInt32(clamping: format.sampleRate * format.bytesPerFrame))
        append(UInt16(clamping: format.bytesPerFrame))
        append(UInt16(format.sampleType.byteCount * 8))
        append("data")
        append(UInt32(clamping: sampleByteCount))
        return header
    }

    /// Returns a file with one channel.
    package static func file(of samples: [Int16], sampleRate: Int) -> [UInt8] {
        let format = AudioFormat(sampleRate: sampleRate, channelCount: 1, sampleType: .int16)
        var file = header(format, sampleByteCount: Int64(samples.count * 2))
        samples.map(\.littleEndian).withUnsafeBytes { file += $0 }
        return file
    }
}

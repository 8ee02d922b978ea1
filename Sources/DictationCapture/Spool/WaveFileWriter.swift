import DictationCore
import DictationFiles

/// Writes a WAV file that is complete after every write, so that any player can read it after the process was killed.
struct WaveFileWriter {
    let format: AudioFormat
    private let file: WritableFile
    private(set) var byteCount: Int64 = 0

    init(creating path: String, format: AudioFormat) throws(DictationError) {
        self.format = try format.validated()
        file = try WritableFile(creating: path)
        try writeHeader()
    }

    mutating func append(_ buffer: AudioBuffer) throws(DictationError) {
        try buffer.withUnsafeBytes { bytes throws(DictationError) in
            try file.append(bytes, at: Int64(Self.headerByteCount) + byteCount)
            byteCount += Int64(bytes.count)
        }
        try writeHeader()
    }

    func close() { file.sync() }

    private static let headerByteCount = 44

    private func writeHeader() throws(DictationError) {
        var header: [UInt8] = []
        func append(_ text: String) { header += Array(text.utf8) }
        func append<Number: FixedWidthInteger>(_ number: Number) {
            withUnsafeBytes(of: number.littleEndian) { header += Array($0) }
        }
        let isFloat = format.sampleType == .float32 || format.sampleType == .float64
        append("RIFF")
        append(UInt32(clamping: byteCount + Int64(Self.headerByteCount) - 8))
        append("WAVEfmt ")
        append(UInt32(16))
        append(UInt16(isFloat ? 3 : 1))
        append(UInt16(clamping: format.channelCount))
        append(UInt32(clamping: format.sampleRate))
        append(UInt32(clamping: format.sampleRate * format.bytesPerFrame))
        append(UInt16(clamping: format.bytesPerFrame))
        append(UInt16(format.sampleType.byteCount * 8))
        append("data")
        append(UInt32(clamping: byteCount))
        try header.withBytes { bytes throws(DictationError) in try file.write(bytes, at: 0) }
    }
}

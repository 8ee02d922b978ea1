import DictationCore
import DictationSystem

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
            try file.append(bytes, at: Int64(WaveBytes.headerByteCount) + byteCount)
            byteCount += Int64(bytes.count)
        }
        try writeHeader()
    }

    func close() { file.sync() }

    private func writeHeader() throws(DictationError) {
        let header = WaveBytes.header(format, sampleByteCount: byteCount)
        try header.withBytes { bytes throws(DictationError) in try file.write(bytes, at: 0) }
    }
}

import DictationCore
import DictationSystem

/// One of a model's files. It is read through a small window, because most of it is weights that no check reads.
final class OnnxBytes {
    let path: String
    let size: Int
    private let file: ReadableFile
    private var window: [UInt8] = []
    private var windowStart = 0
    /// The bytes of text that may still be read. The limit keeps a bad file from taking more memory than a good one.
    private var bytesOfText = 4 << 20
    /// The number of fields that may still be read. The limit keeps a bad file from taking more time than a good one.
    private var fields = 2_000_000

    init(at path: String) throws(DictationError) {
        self.path = path
        do throws(DictationError) { file = try ReadableFile(path: path) } catch {
            guard error.underlying != nil else { throw Self.damaged(path, "it is not a file") }
            throw DictationError(
                error.underlying?.code == Int(ENOENT) ? .modelNotInstalled : .modelInvalid,
                "The model file \(path) can't be opened.",
                recovery: "Install all files of the model, and make them readable for this user.",
                underlying: error.underlying)
        }
        size = Int(file.byteCount)
        guard size > 0 else { throw damaged("it is empty") }
    }

    func damaged(_ reason: String) -> DictationError { Self.damaged(path, reason) }

    private static func damaged(_ path: String, _ reason: String) -> DictationError {
        DictationError(
            .modelInvalid, "The model file \(path) can't be used: \(reason).",
            recovery: "Install the model again, with all files from one source.")
    }

    func byte(at offset: Int) throws(DictationError) -> UInt8 {
        if !(windowStart..<(windowStart + window.count)).contains(offset) {
            window = try bytes(offset..<min(size, offset + 4_096))
            windowStart = offset
        }
        guard let byte = window.dropFirst(offset - windowStart).first else { throw damaged("it is cut short") }
        return byte
    }

    func bytes(_ range: Range<Int>) throws(DictationError) -> [UInt8] {
        let bytes = [UInt8](unsafeUninitializedCapacity: range.count) { buffer, count in
            count = (try? file.read(into: .init(buffer), from: Int64(range.lowerBound))) ?? 0
        }
        guard bytes.count == range.count else { throw damaged("it can't be read to its end") }
        return bytes
    }

    /// Counts a field. Throws when the file has too many.
    func countField() throws(DictationError) {
        fields -= 1
        guard fields >= 0 else { throw damaged("it has more parts than a model needs") }
    }

    /// Reads a short text, such as a name.
    func text(_ range: Range<Int>) throws(DictationError) -> String {
        guard range.count <= 1 << 16 else { throw damaged("a name in it is too long") }
        bytesOfText -= range.count
        guard bytesOfText >= 0 else { throw damaged("it has more text than a model needs") }
        return String(decoding: try bytes(range), as: UTF8.self)
    }
}

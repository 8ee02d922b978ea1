import DictationCore
import DictationSystem

/// The file of a shared library.
///
/// The system's loader maps a library into memory without looking at its size. If the file is cut short, the first use
/// of a missing page ends the process, so this check comes first.
struct SharedObject {
    let path: String
    private let file: ReadableFile
    private let byteCount: UInt64

    /// Opens a file and checks that it is a complete library for this processor.
    ///
    /// - Throws: The reason why it is not.
    init(path: String) throws(Defect) {
        self.path = path
        guard let file = try? ReadableFile(path: path) else { throw Defect("it can't be read") }
        self.file = file
        byteCount = UInt64(clamping: file.byteCount)
        let header = try ElfNumbers(read(from: 0, count: 64))
        guard header.bytes.starts(with: [0x7F, 0x45, 0x4C, 0x46]) else { throw Defect("it is not a library") }
        // 64 bits, the lowest byte first. A shared library has the type 3.
        guard header.bytes[4] == 2, header.bytes[5] == 1, Self.processor ?? header[18, 2] == header[18, 2] else {
            throw Defect("it is for another kind of processor")
        }
        guard header[16, 2] == 3 else { throw Defect("it is not a shared library") }
        let segments = try rows(at: header[32, 8], count: header[56, 2], size: header[54, 2], atLeast: 56)
        guard !segments.isEmpty else { throw Defect("it is damaged") }
        for segment in segments { try check(offset: segment[8, 8], count: segment[32, 8]) }
        let sections = try rows(at: header[40, 8], count: header[60, 2], size: header[58, 2], atLeast: 64)
        // A section of the type 8 has no bytes in the file.
        for section in sections where section[4, 4] != 8 { try check(offset: section[24, 8], count: section[32, 8]) }
    }

    /// A reason why a file can't be used as a library.
    struct Defect: Error {
        let reason: String
        init(_ reason: String) { self.reason = reason }
    }

    /// The number of this processor's kind; `nil` if only the loader knows it.
    private static var processor: UInt64? {
        #if arch(x86_64)
        62
        #elseif arch(arm64)
        183
        #else
        nil
        #endif
    }

    /// Reads a table of the file.
    private func rows(
        at offset: UInt64, count: UInt64, size: UInt64, atLeast least: Int
    ) throws(Defect) -> [ElfNumbers] {
        guard count == 0 || size >= least else { throw Defect("it is damaged") }
        let bytes = try read(from: offset, count: count * size)
        return (0..<Int(count)).map { ElfNumbers(Array(bytes[($0 * Int(size))..<(($0 + 1) * Int(size))])) }
    }

    private func check(offset: UInt64, count: UInt64) throws(Defect) {
        let (end, isTooLarge) = offset.addingReportingOverflow(count)
        guard !isTooLarge, end <= byteCount else { throw Defect("it is cut short") }
    }

    private func read(from offset: UInt64, count: UInt64) throws(Defect) -> [UInt8] {
        try check(offset: offset, count: count)
        let bytes = [UInt8](unsafeUninitializedCapacity: Int(count)) { buffer, filled in
            filled = (try? file.read(into: .init(buffer), from: Int64(offset))) ?? 0
        }
        guard bytes.count == Int(count) else { throw Defect("it can't be read to its end") }
        return bytes
    }
}

/// The numbers in a part of a library's file, with the lowest byte first.
private struct ElfNumbers {
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    subscript(offset: Int, count: Int) -> UInt64 {
        bytes[offset..<(offset + count)].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}

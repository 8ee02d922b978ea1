#if ModelCatalog
import DictationCore

/// How much unpacking may give and cost, over all archives of a model.
struct UnpackingTally {
    /// How much larger than its archive what is in it may be: far more than any model's numbers allow.
    private static let (mostPerByte, freeByteCount): (Int64, Int64) = (200, 64 << 20)

    let limits: CatalogModel.Limits
    /// The bytes of what is kept.
    private(set) var byteCount: Int64 = 0
    /// Everything the archives name, kept or not.
    private(set) var fileCount = 0
    private var unpackedByteCount: Int64 = 0
    private var packedByteCount: Int64 = 0

    init(_ limits: CatalogModel.Limits) {
        self.limits = CatalogModel.Limits(
            byteCount: min(limits.byteCount, CatalogModel.Limits.most.byteCount),
            fileCount: min(limits.fileCount, CatalogModel.Limits.most.fileCount))
    }

    mutating func beginArchive(of byteCount: Int64) { packedByteCount &+= max(0, byteCount) }

    /// Counts a file or folder; the answer is what is too much.
    mutating func addEntry() -> String? {
        fileCount += 1
        return fileCount <= limits.fileCount ? nil : "holds more than \(limits.fileCount) files"
    }

    /// Counts bytes that were unpacked, and are kept or skipped; the answer is what is too much.
    mutating func addBytes(_ count: Int64, isKept: Bool) -> String? {
        unpackedByteCount &+= count
        let (scaled, overflow) = packedByteCount.multipliedReportingOverflow(by: Self.mostPerByte)
        let most = min(CatalogModel.Limits.most.byteCount, overflow ? .max : scaled &+ Self.freeByteCount)
        guard unpackedByteCount <= most else { return "unpacks to more than \(most) bytes, with what is not kept" }
        if isKept { byteCount &+= count }
        return byteCount <= limits.byteCount ? nil : "unpacks to more than \(limits.byteCount) bytes"
    }
}
#endif

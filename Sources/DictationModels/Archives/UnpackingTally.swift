#if ModelCatalog
import DictationCore

/// Counts what unpacking produces, over all archives of a model, and enforces the limits.
struct UnpackingTally {
    /// How often larger than the archives their content may be, and the bytes allowed beyond that. No model's numbers
    /// compress nearly so well.
    private static let (mostPerByte, freeByteCount): (Int64, Int64) = (200, 64 << 20)

    let limits: CatalogModel.Limits
    /// The bytes in kept files.
    private(set) var byteCount: Int64 = 0
    /// The number of all entries, kept or skipped.
    private(set) var fileCount = 0
    private var unpackedByteCount: Int64 = 0
    private var packedByteCount: Int64 = 0

    init(_ limits: CatalogModel.Limits) {
        self.limits = CatalogModel.Limits(
            byteCount: min(limits.byteCount, CatalogModel.Limits.most.byteCount),
            fileCount: min(limits.fileCount, CatalogModel.Limits.most.fileCount))
    }

    mutating func beginArchive(of byteCount: Int64) { packedByteCount &+= max(0, byteCount) }

    /// Counts a file or folder. Returns the reason if that exceeds a limit.
    mutating func addEntry() -> String? {
        fileCount += 1
        return fileCount <= limits.fileCount ? nil : "holds more than \(limits.fileCount) files"
    }

    /// Counts unpacked bytes of a kept or skipped file. Returns the reason if that exceeds a limit.
    mutating func addUnpacked(_ count: Int64) -> String? {
        unpackedByteCount &+= count
        let (scaled, overflow) = packedByteCount.multipliedReportingOverflow(by: Self.mostPerByte)
        let most = min(CatalogModel.Limits.most.byteCount, overflow ? .max : scaled &+ Self.freeByteCount)
        return unpackedByteCount <= most ? nil : "unpacks to more than \(most) bytes, with skipped files"
    }

    /// Counts bytes of a kept file. Returns the reason if that exceeds a limit.
    mutating func addKept(_ count: Int64) -> String? {
        byteCount &+= count
        return byteCount <= limits.byteCount ? nil : "unpacks to more than \(limits.byteCount) bytes"
    }
}
#endif

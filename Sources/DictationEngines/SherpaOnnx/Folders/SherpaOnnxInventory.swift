public import DictationCore
import DictationSystem
import Synchronization

/// The models in a folder of model folders. Each model folder needs a `dictation-model.json`, its manifest.
///
/// The inventory lists, verifies and removes models but downloads none; `CatalogAssetInventory` downloads models. A
/// model whose files can't be used counts as damaged until its files change.
public final class SherpaOnnxInventory: AssetInventory {
    /// The folder with the model folders.
    public let folder: String
    /// The models that failed a check, with the fingerprints of their files at that time.
    private let failures = Mutex<[ModelAsset.ID: String]>([:])

    /// Creates an inventory of a folder. A folder that does not exist has no models.
    public init(folder: String) { self.folder = folder }

    /// Returns every model with a manifest.
    public func assets() async throws(DictationError) -> [ModelAsset] {
        names.compactMap { asset($0) }
    }

    /// Returns whether a model is installed, damaged (its files can't be used) or unsupported (it has no manifest).
    public func status(of asset: ModelAsset.ID) async -> ModelAsset.Status {
        guard self.asset(asset) != nil else { return .unsupported }
        guard let model = try? SherpaOnnxFolder.model(at: path(asset)) else { return .damaged }
        let failure = failures.withLock { $0[asset] }
        return failure != nil && failure == model.fingerprint ? .damaged : .installed
    }

    /// Returns `nil` for an installed model; otherwise throws, because this inventory cannot download.
    public func installation(of asset: ModelAsset.ID) async throws(DictationError) -> (any AssetInstallation)? {
        switch await status(of: asset) {
        case .installed: return nil
        case .unsupported: throw unknown(asset)
        default:
            throw DictationError(
                .modelUnpinned, "The model “\(asset)” is damaged, and this inventory can't download it again.",
                recovery: "Remove it and install it again from its source.")
        }
    }

    /// Checks a model's files, and checks the model in a helper process unless the same files have already passed.
    public func verify(_ asset: ModelAsset.ID) async throws(DictationError) {
        guard self.asset(asset) != nil else { throw unknown(asset) }
        let path = path(asset)
        let failure = try await BlockingWork("sherpa-verify").run { () -> (DictationError, String?)? in
            var model: (any CheckedModel)?
            do throws(DictationError) {
                let found = try SherpaOnnxFolder.model(at: path)
                model = found
                try ModelCheck(model: found).run()
                return nil
            } catch {
                return (error, error.code == .modelInvalid ? model?.fingerprint : nil)
            }
        }
        failures.withLock { $0[asset] = failure?.1 }
        if let failure { throw failure.0 }
    }

    /// Removes a model's folder. Does nothing if there is none.
    public func remove(_ asset: ModelAsset.ID) async throws(DictationError) {
        guard self.asset(asset) != nil else { return }
        do throws(DictationError) {
            guard let name = name(asset), let models = try Folder.existing(folder) else { return }
            // One rename hides the model, so a half-removed model never appears as installed.
            let hidden = FileName(randomAfter: ".removed-")
            try models.rename(name, to: hidden, in: models)
            try models.remove(hidden)
        } catch {
            throw DictationError(
                .notRemovable, "The model “\(asset)” can't be removed from \(folder).",
                recovery: "Make the folder writable for this user.", underlying: error.underlying)
        }
    }

    private var names: [String] {
        guard let models = try? Folder.existing(folder) else { return [] }
        return ((try? models.names()) ?? []).map(\.text)
    }

    /// Returns the name of a model's folder, or `nil` when the model's name can't be one or names a hidden folder.
    private func name(_ asset: ModelAsset.ID) -> FileName? {
        guard let name = try? FileName(asset), name.bytes.first != UInt8(ascii: ".") else { return nil }
        return name
    }

    private func path(_ asset: ModelAsset.ID) -> String { folder + "/" + asset }

    private func asset(_ id: ModelAsset.ID) -> ModelAsset? {
        guard name(id) != nil, let manifest = try? SherpaOnnxInventory.Manifest(beside: path(id)) else { return nil }
        return ModelAsset(
            id: id, engine: SherpaOnnxFolder.engine(for: path(id)), locales: manifest.locales, name: manifest.name,
            license: manifest.license, byteCount: manifest.byteCount ?? byteCount(id))
    }

    private func byteCount(_ id: ModelAsset.ID) -> Int64 {
        ((try? FileListing.names(in: path(id))) ?? []).reduce(0) { sum, name in
            var file = stat()
            return stat(path(id) + "/" + name, &file) == 0 ? sum + Int64(file.st_size) : sum
        }
    }

    private func unknown(_ asset: ModelAsset.ID) -> DictationError {
        DictationError(
            .unknownModel, "There is no model “\(asset)” in \(folder).",
            recovery: "Put its folder there, with a \(SherpaOnnxInventory.Manifest.fileName) in it.")
    }
}

public import DictationCore
import FoundationEssentials

/// A model that is on this machine.
public struct InstalledModel: Sendable, Hashable {
    /// What it is.
    public let asset: Asset
    /// The folder that holds its files.
    public let path: String
    /// Who put it there.
    public let origin: Origin
    /// The files as they were when it was installed; `nil` for a package of the system, which keeps its own list.
    let receipt: ModelReceipt?

    /// Who put a model on this machine.
    public enum Origin: String, Sendable, Hashable, Codable {
        /// It was installed for this user.
        case user
        /// It is in a folder that all users share.
        case system
        /// It came with a package of the system.
        case package
    }

    /// What differs from when it was installed, as far as a look at the sizes shows.
    var visibleDamage: String? {
        for file in receipt?.files ?? [] where Folder.byteCount(path + "/" + file.path) != file.byteCount {
            return file.path
        }
        return nil
    }
}

/// What was installed, and what its files were then; it lies in the model's folder and is what makes it installed.
struct ModelReceipt: Sendable, Hashable, Codable {
    static let name = ".model.json"

    var format = 1
    /// Tells this installation from another one of the same model.
    var installation: String
    var asset: Asset
    var files: [ModelFile]

    /// The receipt in a folder; `nil` when there is none that makes sense.
    static func read(in folder: Folder) -> ModelReceipt? {
        guard let bytes = try? SmallFile.read(folder.file(name)) else { return nil }
        return ModelReceipt(json: bytes)
    }

    init?(json: [UInt8]) {
        guard let receipt = try? JSONDecoder().decode(ModelReceipt.self, from: Data(json)) else { return nil }
        guard receipt.format == 1, ModelPath.isName(receipt.asset.id), !receipt.files.isEmpty else { return nil }
        guard receipt.files.allSatisfy({ ModelPath($0.path) != nil && $0.sha256 != nil && $0.byteCount != nil })
        else { return nil }
        self = receipt
    }

    init(asset: Asset, files: [ModelFile]) {
        installation = (0..<2).map { _ in String(UInt64.random(in: 0 ... .max), radix: 36) }.joined()
        self.asset = asset
        self.files = files
    }

    var json: [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(self)).map(Array.init) ?? []
    }

    var byteCount: Int64 { files.reduce(0) { $0 &+ max(0, $1.byteCount ?? 0) } }
}

import DictationCore
import DictationSystem
import FoundationEssentials

/// The record of an installation: the model, and the hash and size of each file. It is a file in the model's folder. A
/// folder without a receipt is not an installed model.
struct ModelReceipt: Sendable, Hashable, Codable {
    var format = 1
    /// A random text that differs between two installations of the same model.
    var installation: String
    var asset: ModelAsset
    var files: [CatalogModel.File]

    /// Returns the receipt in a folder, or `nil` if the folder has no valid receipt.
    static func read(in folder: borrowing Folder) -> ModelReceipt? {
        guard let bytes = try? folder.read(.modelReceipt) else { return nil }
        return ModelReceipt(json: bytes)
    }

    init?(json: [UInt8]) {
        guard let receipt = try? JSONDecoder().decode(ModelReceipt.self, from: Data(json)) else { return nil }
        guard receipt.format == 1, FileName(model: receipt.asset.id) != nil, !receipt.files.isEmpty else { return nil }
        guard (1...64).contains(receipt.installation.utf8.count),
            receipt.installation.utf8.allSatisfy(\.isOfModelName),
            [receipt.asset.name, receipt.asset.engine.rawValue, receipt.asset.license ?? ""].allSatisfy(\.isPlainLabel)
        else { return nil }
        let paths = receipt.files.compactMap { file in
            file.sha256 != nil && file.byteCount ?? -1 >= 0 ? try? RelativePath(file.path) : nil
        }
        // Two entries for one path would contradict each other.
        guard Set(paths).count == receipt.files.count, !paths.contains(where: { $0.names[0] == .modelReceipt }) else {
            return nil
        }
        self = receipt
    }

    init(asset: ModelAsset, files: [CatalogModel.File]) {
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

    /// Returns the first file in the folder that is missing or has the wrong size, or `nil` if all files are right.
    func visibleDamage(in folder: borrowing Folder) -> CatalogModel.File? {
        for file in files {
            guard let path = try? RelativePath(file.path), let status = folder.status(of: path),
                status.kind == .file, status.byteCount == file.byteCount
            else { return file }
        }
        return nil
    }
}

#if ModelCatalog
import DictationCore
import DictationSystem
import FoundationEssentials

/// The hashes of an unpinned model's files, as recorded at its first installation.
extension ModelStore {
    private static let hashes = FileName(fixed: "hashes.json")

    func recordedHashes(of name: FileName) throws(DictationError) -> [RelativePath: String]? {
        guard let bytes = try state(of: name)?.read(Self.hashes) else { return nil }
        let recorded = try? JSONDecoder().decode([String: String].self, from: Data(bytes))
        var hashes: [RelativePath: String] = [:]
        for (path, hash) in recorded ?? [:] {
            if let path = try? RelativePath(path) { hashes[path] = hash }
        }
        guard let recorded, hashes.count == recorded.count else {
            throw DictationError(
                .modelInvalid, "The hashes recorded for the model “\(name.text)” can't be read.",
                recovery: "If you trust the model's source, call forgetRecordedHashes(of:) and install it again.")
        }
        return hashes
    }

    func recordHashes(of receipt: ModelReceipt) throws(DictationError) {
        guard let name = FileName(model: receipt.asset.id) else { return }
        let hashes = Dictionary(receipt.files.map { ($0.path, $0.sha256 ?? "") }) { first, _ in first }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(hashes) else { return }
        try makeState(of: name).write(data, to: Self.hashes)
    }

    func forgetHashes(of name: FileName) throws(DictationError) { try state(of: name)?.remove(Self.hashes) }
}
#endif

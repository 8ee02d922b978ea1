import DictationCore
import DictationSystem

/// The state that a store records for each model: whether it is damaged or reserved, and when it was last used.
extension ModelStore {
    private static let used = FileName(fixed: "used")
    private static let reservedMark = FileName(fixed: "reserved")

    /// Records that a model is in use now. The least recently used model is evicted first.
    public func markUsed(_ model: InstalledModel) {
        guard let name = FileName(model: model.asset.id) else { return }
        try? makeState(of: name).openOrCreate(Self.used).touch()
    }

    func isDamaged(_ model: InstalledModel) -> Bool {
        guard let receipt = model.receipt else { return false }
        if let name = FileName(model: model.asset.id), let mark = Self.damageMark(receipt),
            let state = try? state(of: name), state.status(of: mark) != nil
        {
            return true
        }
        return model.isVisiblyDamaged
    }

    /// Marks an installation of a model as damaged. The mark names the installation, so it does not affect a later one.
    func markDamaged(_ model: InstalledModel) throws(DictationError) {
        guard let receipt = model.receipt, let name = FileName(model: model.asset.id),
            let mark = Self.damageMark(receipt)
        else { return }
        try makeState(of: name).write([], to: mark)
    }

    /// Removes the mark of an installation whose files are right again.
    func unmarkDamaged(_ model: InstalledModel) throws(DictationError) {
        guard let receipt = model.receipt, let name = FileName(model: model.asset.id),
            let mark = Self.damageMark(receipt), let state = try state(of: name), state.status(of: mark) != nil
        else { return }
        try state.remove(mark)
    }

    private static func damageMark(_ receipt: ModelReceipt) -> FileName? {
        try? FileName("damaged-" + receipt.installation)
    }

    func isReserved(_ id: ModelAsset.ID) -> Bool {
        guard let name = FileName(model: id), let state = try? state(of: name) else { return false }
        return state.status(of: Self.reservedMark) != nil
    }

    func setReserved(_ id: ModelAsset.ID, _ isReserved: Bool) throws(DictationError) {
        guard let name = FileName(model: id) else { return }
        if isReserved {
            try makeState(of: name).write([], to: Self.reservedMark)
        } else {
            try state(of: name)?.remove(Self.reservedMark)
        }
    }

    var reserved: [ModelAsset.ID] {
        guard let folder = try? existing(.state), let names = try? folder.names() else { return [] }
        return names.map(\.text).filter(isReserved)
    }

    /// Returns when a model was last used, in nanoseconds since 1970, or 0 if it was never used.
    func lastUse(of id: ModelAsset.ID) -> Int64 {
        guard let name = FileName(model: id), let state = try? state(of: name) else { return 0 }
        return state.status(of: Self.used)?.modified ?? 0
    }

    func makeState(of name: FileName) throws(DictationError) -> Folder { try make(.state).makeFolder(name) }

    func state(of name: FileName) throws(DictationError) -> Folder? {
        guard let folder = try existing(.state) else { return nil }
        return try folder.folder(name)
    }
}

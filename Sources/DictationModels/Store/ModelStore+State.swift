import DictationCore
import DictationFiles

/// What a store remembers about each model: whether it is damaged or reserved, and when it was used.
extension ModelStore {
    private static let used = FileName(fixed: "used")
    private static let reservedMark = FileName(fixed: "reserved")

    /// Notes that a model is in use now; the model that was not used for longest is evicted first.
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

    /// A mark names the installation that it is for, so it says nothing about the next one.
    func markDamaged(_ model: InstalledModel) throws(DictationError) {
        guard let receipt = model.receipt, let name = FileName(model: model.asset.id),
            let mark = Self.damageMark(receipt)
        else { return }
        try makeState(of: name).write([], to: mark)
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

    /// When a model was used last, in nanoseconds; 0 for never.
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

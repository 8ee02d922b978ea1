public import DictationCore
import DictationFiles

/// A model that is on this machine.
public struct InstalledModel: Sendable, Hashable {
    /// What it is.
    public let asset: ModelAsset
    /// The folder that holds its files.
    public let folder: String
    /// Who put it there.
    public let origin: Origin
    /// The files as they were when it was installed; `nil` for a package of the system, which keeps its own list.
    let receipt: ModelReceipt?

    /// Who put a model on this machine.
    @nonexhaustive public enum Origin: String, Sendable, Hashable, Codable {
        /// It was installed for this user.
        case user
        /// It is in a folder that all users share.
        case system
        /// It came with a package of the system.
        case package
    }

    /// Whether a look at the sizes of its files shows damage.
    var isVisiblyDamaged: Bool {
        guard let receipt else { return false }
        guard let open = try? Folder.existing(folder) else { return true }
        return receipt.visibleDamage(in: open) != nil
    }
}

public import DictationCore
import DictationSystem

/// A model that is installed on this machine.
public struct InstalledModel: Sendable, Hashable {
    /// The description of the model.
    public let asset: ModelAsset
    /// The folder with the model's files.
    public let folder: String
    /// The way in which the model was installed.
    public let origin: Origin
    /// The record of the files at installation; `nil` for a system package, which has its own record.
    let receipt: ModelReceipt?

    /// The way in which a model was installed.
    @nonexhaustive public enum Origin: String, Sendable, Hashable, Codable {
        /// The model was installed for this user.
        case user
        /// The model is in a folder that all users share.
        case system
        /// The model came with a system package.
        case package
    }

    /// Whether a file is missing or has the wrong size. Does not read the files.
    var isVisiblyDamaged: Bool {
        guard let receipt else { return false }
        guard let open = try? Folder.existing(folder) else { return true }
        return receipt.visibleDamage(in: open) != nil
    }
}

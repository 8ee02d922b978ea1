public import DictationCore
import DictationSystem

extension InstalledModel {
    /// A hash of a model's files, to tell later which model made a text.
    public enum Hash: Sendable {
        #if ModelCatalog
        /// Returns the SHA-256 hash of the files in folders, in hexadecimal.
        ///
        /// It is the hash of a list like that of the program `sha256sum`, with a line for each file in the order of their paths.
        /// The receipt of an installation does not count, because it differs between two installations of one model.
        ///
        /// - Parameter folders: The folders of the models, in any order.
        public static func sha256(ofFolders folders: [String]) async throws(DictationError) -> String {
            try await BlockingWork("model-hash").run { () throws(DictationError) in
                var lists: [String] = []
                for path in folders {
                    guard let folder = try Folder.existing(path) else { throw .missing("open", path) }
                    lists.append(try lines(folder, path, below: "").joined())
                }
                return try ContentHash.sha256(of: Array(lists.sorted().joined().utf8))
            }
        }

        private static func lines(
            _ folder: borrowing Folder, _ path: String, below name: String, depth: Int = 0
        ) throws(DictationError) -> [String] {
            var found: [String] = []
            for file in try folder.names() where file != .modelReceipt {
                let (path, name) = (path + "/" + file.text, name + file.text)
                // Users move models to other disks and leave links.
                if depth < 16, let below = try Folder.existing(path) {
                    found += try lines(below, path, below: name + "/", depth: depth + 1)
                } else if let open = try OpenFile.reading(path) {
                    found.append("\(try ContentHash.sha256(of: open).hash)  \(name)\n")
                }
            }
            return found
        }
        #else
        /// Returns the SHA-256 hash of the files in folders, in a build with the trait.
        @available(*, unavailable, message: "Enable the “ModelCatalog” trait of swift-dictation.")
        public static func sha256(ofFolders folders: [String]) async throws(DictationError) -> String { "" }
        #endif
    }
}

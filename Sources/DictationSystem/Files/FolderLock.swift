package import DictationCore

/// A lock on a folder, which one holder at a time has until the end of its lifetime.
package final class FolderLock: Sendable {
    private let folder: Descriptor

    /// Waits until no other holder has the lock.
    package init(_ folder: borrowing Folder) throws(DictationError) {
        self.folder = Descriptor(openat(folder.descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC))
        let code = self.folder.number < 0 ? errno : self.folder.lock(waiting: true)
        guard code == 0 else { throw .file("lock", folder.path, code) }
    }

    deinit { folder.unlock() }
}

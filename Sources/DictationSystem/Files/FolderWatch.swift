import DictationCore
import Glibc

/// Tells when a file in one of several folders appears, disappears or gets other permissions.
package final class FolderWatch: Sendable {
    private let waker = Waker()
    private let notices: Int32
    private let folders: [String]

    package init(_ folders: [String]) {
        // If the system has no descriptors left, every wait lasts until its limit.
        notices = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
        self.folders = folders
        watchFolders()
    }

    deinit { if notices >= 0 { close(notices) } }

    package var hasEnded: Bool { waker.isRaised }

    /// Ends the current wait and all later waits.
    package func end() { waker.wake() }

    /// Waits for a change or for `end()`, but no longer than `limit`.
    package func wait(_ limit: Duration) {
        var entries = [waker.wait, notice]
        let milliseconds = Int32(clamping: max(0, limit.nanoseconds / 1_000_000))
        guard poll(&entries, nfds_t(entries.count), milliseconds) > 0, !hasEnded else { return }
        // A device's files appear one after another, and their permissions are set last.
        waker.rest(.milliseconds(100))
        clear()
    }

    /// The entry for `poll`, in a thread that has more to wait for.
    package var notice: pollfd { pollfd(fd: notices, events: Int16(POLLIN), revents: 0) }

    /// Forgets the changes so far. Call this before looking at the folders.
    package func clear() {
        var bytes = [UInt8](repeating: 0, count: 4_096)
        while read(notices, &bytes, bytes.count) > 0 {}
        watchFolders()
    }

    /// Watches all folders that exist. Watching a folder twice has no effect.
    private func watchFolders() {
        let kinds = IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ATTRIB | IN_MOVE_SELF
        for folder in folders where notices >= 0 { _ = inotify_add_watch(notices, folder, UInt32(kinds)) }
    }
}

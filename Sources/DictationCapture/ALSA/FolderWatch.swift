#if ALSA
import CALSA
import DictationCore
import Glibc

/// Waits until something comes, goes or changes its permissions in folders.
final class FolderWatch: Sendable {
    private let wake = WakeDescriptor()
    private let notices: Int32
    private let folders: [String]

    init(_ folders: [String]) {
        // Without a descriptor left in the system, every wait lasts as long as it may.
        notices = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
        self.folders = folders
        watchFolders()
    }

    deinit { if notices >= 0 { close(notices) } }

    var hasEnded: Bool { wake.isRaised }

    /// Ends every wait, now and later.
    func end() { wake.raise() }

    /// Waits for a change, or for the end, but no longer than so.
    func wait(_ limit: Duration) {
        var entries = [wake.descriptor, notices].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        let milliseconds = Int32(clamping: max(0, limit.nanoseconds / 1_000_000))
        guard poll(&entries, nfds_t(entries.count), milliseconds) > 0, !hasEnded else { return }
        // A device's files come one after another, and its permissions last.
        wake.rest(.milliseconds(100))
        var bytes = [UInt8](repeating: 0, count: 4_096)
        while read(notices, &bytes, bytes.count) > 0 {}
        watchFolders()
    }

    /// Folders that aren't there, yet, are left out; those that are watched stay so.
    private func watchFolders() {
        let kinds = IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ATTRIB
        for folder in folders where notices >= 0 { _ = inotify_add_watch(notices, folder, UInt32(kinds)) }
    }
}
#endif

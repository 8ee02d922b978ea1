public import DictationCore
import DictationSystem

/// Adds each text and a line feed to a file, which only the user can read if it is new.
///
/// It writes to no file of another user, and follows no other user's link.
public struct FileDestination: TextDestination {
    /// The file's path.
    public let path: String
    /// How long another program may keep the file to itself.
    private let lockTimeout: Duration
    private let user: uid_t
    private let work = BlockingWork("dictation-file")

    /// Creates a destination. The file need not exist, but its folder must.
    public init(path: String) { self.init(path: path, user: geteuid()) }

    init(path: String, lockTimeout: Duration = .seconds(5), user: uid_t = geteuid()) {
        (self.path, self.lockTimeout, self.user) = (path, lockTimeout, user)
    }

    /// The name `file`.
    public var name: String { "file" }

    /// Returns why the file can't be written. See ``TextDestination/problem()``.
    public func problem() async -> DictationError? {
        do throws(DictationError) {
            try await work.run { () throws(DictationError) in _ = try open(creating: false) }
        } catch { return error }
        return nil
    }

    /// Adds the text. See ``TextDestination/deliver(_:into:)``.
    public func deliver(_ text: DictatedText, into field: FocusedField?) async -> TextDelivery.Outcome {
        let line = text.forDestination + "\n"
        do throws(DictationError) {
            try await work.run { () throws(DictationError) in
                guard let file = try open(creating: true) else { return }
                let end = file.goToEnd()
                // What the file has may lack its end.
                let bytes = Array((file.endsALine ? line : "\n" + line).utf8)
                do throws(DictationError) { try file.write(bytes) } catch {
                    // A part of the text would look like all of it.
                    ftruncate(file.descriptor, off_t(end))
                    throw error
                }
            }
        } catch { return .unavailable(error.message) }
        return .delivered
    }

    /// Opens the file, and keeps other writers of texts away until it is closed. Never waits for the reader of a pipe.
    ///
    /// - Returns: The file; `nil` if it does not exist, can be made, and should not be.
    private func open(creating: Bool) throws(DictationError) -> OpenFile? {
        let place = try UserPath(path)
        guard let file = try OpenFile.appending(path, creating: creating, user: user) else {
            guard access(place.folder.path, W_OK) == 0 else { throw .file("write", path, errno) }
            return nil
        }
        try lock(file)
        return file
    }

    private func lock(_ file: borrowing OpenFile) throws(DictationError) {
        let end = TimeLimit(lockTimeout)
        // Some file systems have no locks.
        while file.handle.lock() == EWOULDBLOCK {
            guard !end.isOver else {
                throw DictationError(
                    .timedOut, "Another program keeps “\(visible(file.path))” locked.",
                    recovery: "End that program, or give the path of another file.")
            }
            poll(nil, 0, 10)
        }
    }
}

public import DictationCore
import DictationFiles
import DictationPlatform

/// Adds each text and a line feed to a file, which only the user can read if it is new.
public struct FileDestination: TextDestination {
    /// The file's path.
    public let path: String
    /// How long another program may keep the file to itself.
    private let lockTimeout: Duration
    private let work = BlockingWork("dictation-file")

    /// Creates a destination. The file need not exist, but its folder must.
    public init(path: String) { self.init(path: path, lockTimeout: .seconds(5)) }

    init(path: String, lockTimeout: Duration) { (self.path, self.lockTimeout) = (path, lockTimeout) }

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
    public func deliver(_ text: DictatedText, into field: FocusedField?) async -> DeliveryOutcome {
        let bytes = Array((text.text + "\n").utf8)
        do throws(DictationError) {
            try await work.run { () throws(DictationError) in
                guard let file = try open(creating: true) else { return }
                let end = file.goToEnd()
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
        let flags = O_WRONLY | O_APPEND | O_CLOEXEC | O_NONBLOCK | O_NOCTTY
        let number = Glibc.open(path, creating ? flags | O_CREAT : flags, 0o600)
        if number < 0, errno == ENOENT, !creating, access(place.folder.path, W_OK) == 0 { return nil }
        guard number >= 0 else { throw .file("write", path, errno) }
        let file = OpenFile(descriptor: number, path: path)
        guard file.status?.kind == .file else {
            throw DictationError(
                .invalidInput, "“\(visible(path))” is not a file.", recovery: "Give the path of a file.")
        }
        try lock(file)
        return file
    }

    private func lock(_ file: borrowing OpenFile) throws(DictationError) {
        let end = ContinuousClock.now + lockTimeout
        while flock(file.descriptor, LOCK_EX | LOCK_NB) != 0 {
            // Some file systems have no locks.
            guard errno == EWOULDBLOCK || errno == EINTR else { return }
            guard ContinuousClock.now < end else {
                throw DictationError(
                    .timedOut, "Another program keeps “\(visible(file.path))” locked.",
                    recovery: "End that program, or give the path of another file.")
            }
            poll(nil, 0, 10)
        }
    }
}

import CSystem
package import DictationCore

/// An open folder. All operations stay below the folder, use checked names, and follow no links.
package struct Folder: ~Copyable, Sendable {
    package let descriptor: Int32
    /// The folder's path for messages. It is never used to open a file.
    package let path: String
    private let resolution: Resolution

    /// How to open a path below the folder.
    enum Resolution: Sendable {
        /// With one system call, which refuses links and paths that point outside the folder.
        case atOnce
        /// One name after another, if the kernel lacks that system call or a sandbox forbids it.
        case nameByName
    }

    /// Who may read new files and enter new folders.
    package enum Privacy: Sendable, Equatable {
        /// Everyone whom the process's umask allows.
        case usual
        /// Only the user, whatever the umask.
        case own
        /// Whoever may use another file, whose mode this is.
        case mode(UInt32)

        /// The exact mode, whatever the umask; `nil` for the usual one.
        fileprivate var exact: mode_t? {
            switch self {
            case .usual: nil
            case .own: 0o600
            case .mode(let mode): mode & 0o777
            }
        }
    }

    init(descriptor: Int32, path: String, resolution: Resolution) {
        self.descriptor = descriptor
        self.path = path
        self.resolution = resolution
    }

    deinit { close(descriptor) }

    // MARK: Folders that the user chooses

    /// Opens a folder that the user chose, or returns `nil` if it does not exist. Follows links.
    package static func existing(_ path: String) throws(DictationError) -> Folder? {
        try existing(path, resolution: .atOnce)
    }

    static func existing(_ path: String, resolution: Resolution) throws(DictationError) -> Folder? {
        guard !path.utf8.contains(0) else { throw .file("open", path, EINVAL) }
        let descriptor = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if descriptor < 0, errno == ENOENT || errno == ENOTDIR { return nil }
        guard descriptor >= 0 else { throw .file("open", path, errno) }
        return Folder(descriptor: descriptor, path: path, resolution: resolution)
    }

    /// Opens a folder that the user chose. Creates it, and the folders above it, if they do not exist. Follows links.
    package static func making(_ path: String, _ privacy: Privacy = .usual) throws(DictationError) -> Folder {
        guard !path.utf8.contains(0) else { throw .file("create the folder", path, EINVAL) }
        let bytes = Array(path.utf8)
        var code: Int32 = 0
        for end in bytes.indices.dropFirst().filter({ bytes[$0] == 0x2F }) + [bytes.count] {
            let above = String(decoding: bytes[..<end], as: UTF8.self)
            code = mkdir(above, privacy == .own ? 0o700 : 0o755) == 0 ? 0 : errno
        }
        guard let folder = try existing(path) else { throw .file("create the folder", path, code) }
        return folder
    }

    // MARK: Listing

    /// Returns the names in the folder, in the order of their bytes.
    package func names() throws(DictationError) -> [FileName] {
        // The listing gets its own descriptor, because it changes the descriptor's position.
        let listing = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard listing >= 0 else { throw .file("list", path, errno) }
        guard let stream = fdopendir(listing) else {
            close(listing)
            throw .file("list", path, errno)
        }
        defer { closedir(stream) }
        var names: [FileName] = []
        errno = 0
        while let entry = readdir(stream) {
            let name = UnsafeRawPointer(entry) + (MemoryLayout<dirent>.offset(of: \.d_name) ?? 0)
            let bytes = UnsafeRawBufferPointer(start: name, count: strlen(name.assumingMemoryBound(to: CChar.self)))
            // This skips `.` and `..`, which are not valid names.
            if let name = try? FileName(anySpelling: bytes) { names.append(name) }
            errno = 0
        }
        guard errno == 0 else { throw .file("list", path, errno) }
        return names.sorted()
    }

    /// Returns the status of the file, folder or link with this name, or `nil` if there is none. Does not follow a
    /// link.
    package func status(of name: FileName) -> FileStatus? {
        var status = stat()
        return fstatat(descriptor, name.cString, &status, AT_SYMLINK_NOFOLLOW) == 0 ? FileStatus(status) : nil
    }

    /// Returns the status of the file or folder at a path, or `nil` if there is none or a folder in the path is a link.
    package func status(of path: RelativePath) -> FileStatus? {
        let (file, _) = descriptor(of: path.names, Self.onlyForStatus)
        guard file >= 0 else { return nil }
        return OpenFile(descriptor: file, path: "").status
    }

    /// Returns the paths of all files below the folder, in order.
    ///
    /// - Throws: `modelInvalid` if there is anything other than files and folders.
    package func files() throws(DictationError) -> [RelativePath] {
        var found: [RelativePath] = []
        try gather(below: nil, into: &found)
        return found
    }

    private func gather(below place: RelativePath?, into found: inout [RelativePath]) throws(DictationError) {
        for name in try names() {
            let path = place?.appending(name) ?? RelativePath(name)
            switch status(of: name)?.kind {
            case .file: found.append(path)
            case .folder: try folder(name)?.gather(below: path, into: &found)
            case nil: break
            default:
                throw DictationError(
                    .modelInvalid,
                    "The folder holds “\(visible(self.path + "/" + name.text))”, which is neither a file nor a folder.",
                    recovery: "Remove it and install it again.")
            }
        }
    }

    // MARK: Opening

    /// Opens a folder in this folder, or returns `nil` if it does not exist.
    package func folder(_ name: FileName) throws(DictationError) -> Folder? { try folder(RelativePath(name)) }

    /// Opens a folder below this folder, or returns `nil` if it does not exist.
    package func folder(_ place: RelativePath) throws(DictationError) -> Folder? {
        let (file, code) = descriptor(of: place.names, O_RDONLY | O_DIRECTORY)
        if code == ENOENT || code == ENOTDIR { return nil }
        return try opened(file, code, place)
    }

    /// Opens a folder in this folder. Creates it if it does not exist.
    package func makeFolder(_ name: FileName, _ privacy: Privacy = .usual) throws(DictationError) -> Folder {
        let path = self.path + "/" + name.text
        if mkdirat(descriptor, name.cString, privacy == .own ? 0o700 : 0o755) != 0, errno != EEXIST {
            throw .file("create the folder", path, errno)
        }
        let (file, code) = descriptor(of: [name], O_RDONLY | O_DIRECTORY)
        let folder = try opened(file, code, RelativePath(name))
        if privacy == .own, fchmod(folder.descriptor, 0o700) != 0 { throw .file("create the folder", path, errno) }
        return folder
    }

    private func opened(_ file: Int32, _ code: Int32, _ place: RelativePath) throws(DictationError) -> Folder {
        let path = self.path + "/" + place.text
        guard file >= 0 else { throw .file("open", path, code) }
        return Folder(descriptor: file, path: path, resolution: resolution)
    }

    /// Opens a regular file for reading, or returns `nil` if it does not exist.
    ///
    /// - Throws: `fileUnreadable` if the file can't be opened, or is a pipe or device. Never waits for a pipe.
    package func open(_ place: RelativePath) throws(DictationError) -> OpenFile? {
        let (file, code) = descriptor(of: place.names, O_RDONLY | O_NONBLOCK)
        if code == ENOENT || code == ENOTDIR { return nil }
        let path = self.path + "/" + place.text
        guard file >= 0 else { throw .file("read", path, code) }
        let open = OpenFile(descriptor: file, path: path)
        try open.checkRegular()
        return open
    }

    /// Opens a regular file for reading and writing. Creates an empty file if it does not exist.
    package func openOrCreate(_ name: FileName, _ privacy: Privacy = .usual) throws(DictationError) -> OpenFile {
        try open(name, O_RDWR | O_CREAT | O_NONBLOCK, privacy, action: "write")
    }

    /// Creates a file. If the name exists, throws an error with the underlying code `EEXIST`.
    package func create(_ name: FileName, _ privacy: Privacy = .usual) throws(DictationError) -> OpenFile {
        try open(name, O_WRONLY | O_CREAT | O_EXCL, privacy, action: "create")
    }

    /// Creates a file, and the folders in its path that do not exist.
    ///
    /// - Throws: If a name in the path is already used, an error with the underlying code `EEXIST`, `ENOTDIR` or
    ///   `ELOOP`.
    package func create(_ path: RelativePath, _ privacy: Privacy = .usual) throws(DictationError) -> OpenFile {
        guard let step = path.step else { return try create(path.names[0], privacy) }
        return try makeFolder(step.folder, privacy).create(step.rest, privacy)
    }

    private func open(
        _ name: FileName, _ flags: Int32, _ privacy: Privacy, action: String
    ) throws(DictationError) -> OpenFile {
        let path = self.path + "/" + name.text
        let (file, code) = descriptor(of: [name], flags, mode: privacy.exact.map { $0 & 0o600 } ?? 0o644)
        guard file >= 0 else { throw .file(action, path, code) }
        let open = OpenFile(descriptor: file, path: path)
        try open.checkRegular()
        if let mode = privacy.exact, fchmod(file, mode) != 0 { throw .file(action, path, errno) }
        return open
    }

    /// The value of `O_PATH`, which glibc only declares for GNU sources.
    private static let onlyForStatus: Int32 = 0o10_000_000

    /// Opens a path below the folder. Returns the descriptor, or -1 and the value of `errno`.
    private func descriptor(of names: [FileName], _ flags: Int32, mode: mode_t = 0) -> (file: Int32, code: Int32) {
        let flags = flags | O_CLOEXEC | O_NOFOLLOW
        if resolution == .nameByName { return descriptorNameByName(of: names[...], flags, mode) }
        let path = Array(names.map(\.cString).joined(separator: [0x2F]).filter { $0 != 0 }) + [0]
        while true {
            let file = dictation_open_beneath(descriptor, path, flags, mode)
            switch -file {
            case EINTR: continue
            case ENOSYS, EPERM: return descriptorNameByName(of: names[...], flags, mode)
            default: return file >= 0 ? (file, 0) : (-1, -file)
            }
        }
    }

    private func descriptorNameByName(
        of names: ArraySlice<FileName>, _ flags: Int32, _ mode: mode_t
    ) -> (file: Int32, code: Int32) {
        var above = descriptor
        defer { if above != descriptor { close(above) } }
        for (index, name) in zip(names.indices, names) {
            let isLast = index == names.endIndex - 1
            let file = openat(
                above, name.cString, isLast ? flags : Self.onlyForStatus | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, mode)
            guard file >= 0 else { return (-1, errno) }
            if isLast { return (file, 0) }
            if above != descriptor { close(above) }
            above = file
        }
        return (-1, ENOENT)
    }

    // MARK: Changing

    /// Removes a file, a link, or a folder with its contents. Keeps a link's target. If the name does not exist, does
    /// nothing.
    package func remove(_ name: FileName) throws(DictationError) {
        if unlinkat(descriptor, name.cString, 0) == 0 || errno == ENOENT { return }
        guard errno == EISDIR || errno == EPERM else { throw .file("remove", path + "/" + name.text, errno) }
        guard let folder = try folder(name) else { return }
        for child in try folder.names() { try folder.remove(child) }
        guard unlinkat(descriptor, name.cString, AT_REMOVEDIR) == 0 || errno == ENOENT else {
            throw .file("remove", path + "/" + name.text, errno)
        }
    }

    /// Renames a file or folder, and moves it to `folder`. Replaces a file or an empty folder with the new name.
    package func rename(_ name: FileName, to new: FileName, in folder: borrowing Folder) throws(DictationError) {
        guard renameat(descriptor, name.cString, folder.descriptor, new.cString) == 0 else {
            throw .file("rename", path + "/" + name.text, errno)
        }
    }

    /// Exchanges the files or folders of two names in one step.
    package func exchange(_ name: FileName, with other: FileName, in folder: borrowing Folder) throws(DictationError) {
        let code = dictation_exchange(descriptor, name.cString, folder.descriptor, other.cString)
        guard code == 0 else { throw .file("replace", folder.path + "/" + other.text, -code) }
    }

    /// Waits until the disk has stored the names in the folder.
    package func sync() throws(DictationError) {
        guard fsync(descriptor) == 0 else { throw .file("write", path, errno) }
    }

    /// Waits until the disk has stored the folder and its contents.
    package func syncAll() throws(DictationError) {
        for name in try names() {
            switch status(of: name)?.kind {
            case .folder: try folder(name)?.syncAll()
            case .file: try open(RelativePath(name))?.sync()
            default: break
            }
        }
        try sync()
    }

    // MARK: Small files

    /// Returns the bytes of a file, or `nil` if the file does not exist.
    package func read(_ name: FileName) throws(DictationError) -> [UInt8]? {
        try open(RelativePath(name))?.readAll()
    }

    /// Writes a file in one step: other programs see the old bytes or the new bytes, never a mixture.
    package func write(
        _ bytes: some Sequence<UInt8>, to name: FileName, _ privacy: Privacy = .usual
    ) throws(DictationError) {
        let draft = FileName(randomAfter: ".new-")
        do throws(DictationError) {
            let file = try create(draft, privacy)
            try file.write(bytes)
            try file.sync()
            try rename(draft, to: name, in: self)
        } catch {
            try? remove(draft)
            throw error
        }
    }
}

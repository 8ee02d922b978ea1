import CSystem

/// The file of a unix socket that listens.
package struct SocketFile: Sendable {
    private let path: String
    private let file: dictation_socket_file

    /// Listens at a full path, for the user alone.
    ///
    /// It takes the place of a socket at which nobody listens any more, and of nothing else.
    ///
    /// - Throws: `EADDRINUSE` if another program listens, `ENOTSOCK` for anything but a socket, and `EPERM` for a folder in
    ///   which others could take the socket's place.
    package static func listen(at path: String) throws(SystemError) -> (socket: Int32, file: SocketFile) {
        let place = PathBytes(path).folderToOpen
        let code = dictation_check_folder(place)
        guard code == 0 else { throw SystemError("listen", code: -code) }
        // Of several programs that find an old socket, one takes its place.
        let folder = Descriptor(open(place, O_RDONLY | O_DIRECTORY | O_CLOEXEC))
        if folder.number >= 0 { _ = folder.lock(waiting: true) }
        defer { if folder.number >= 0 { folder.unlock() } }
        var file = dictation_socket_file()
        let number = dictation_listen_at_path(path, &file)
        guard number >= 0 else { throw SystemError("listen", code: -number) }
        return (number, SocketFile(path: path, file: file))
    }

    /// Whether the file is still at its path.
    package var isThere: Bool { dictation_has_socket(path, file) != 0 }

    /// Removes the file, unless something else has its path by now.
    package func remove() { dictation_remove_socket(path, file) }
}

import CSystem
import Glibc

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

    /// Returns a socket that is connected to the program that listens at a path of at most 107 bytes.
    package static func connect(to path: String) throws(SystemError) -> Descriptor {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        // The address ends with a zero.
        guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else {
            throw SystemError("connect", code: ENAMETOOLONG)
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let number = dictation_make_socket()
        guard number >= 0 else { throw SystemError("socket", code: -number) }
        let socket = Descriptor(number)
        // A program that was stopped by a debugger accepts nobody, and its queue may be full.
        dictation_limit_sending(number, 5)
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(number, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0 ? 0 : errno
            }
        }
        guard code == 0 else { throw SystemError("connect", code: code) }
        return socket
    }

    /// Whether the file is still at its path.
    package var isThere: Bool { dictation_has_socket(path, file) != 0 }

    /// Removes the file, unless something else has its path by now.
    package func remove() { dictation_remove_socket(path, file) }
}

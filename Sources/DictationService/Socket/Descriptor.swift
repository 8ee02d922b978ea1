import CSockets
import DictationCore
import DictationPlatform

/// An open file descriptor, which closes at the end of the value's lifetime.
struct Descriptor: ~Copyable, Sendable {
    let number: Int32

    init(_ number: Int32) { self.number = number }
    deinit { close(number) }

    /// Reads once without waiting.
    ///
    /// - Returns: The number of bytes; 0 at the end, and `nil` if nothing can be read now.
    func receive(into block: inout [UInt8]) -> Int? {
        while true {
            let count = recv(number, &block, block.count, Int32(MSG_DONTWAIT))
            if count >= 0 { return count }
            switch errno {
            case EINTR: continue
            case EAGAIN, EWOULDBLOCK: return nil
            default: return 0
            }
        }
    }

    /// Writes once without waiting, and without a signal when nobody reads.
    ///
    /// - Returns: The number of bytes, or `nil` if the other side is gone.
    func send(_ bytes: ArraySlice<UInt8>) -> Int? {
        while true {
            let count = bytes.withUnsafeBytes {
                Glibc.send(number, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
            }
            if count >= 0 { return count }
            switch errno {
            case EINTR: continue
            case EAGAIN, EWOULDBLOCK: return 0
            default: return nil
            }
        }
    }

    /// Accepts a connection.
    ///
    /// - Returns: The connection's descriptor, or the negative code of the error.
    func accept() -> Int32 { dictation_accept(number) }

    /// The user at the other end of a unix socket; `nil` if it is unknown.
    var peer: uid_t? {
        var user = uid_t.max
        return dictation_peer_user(number, &user) == 0 ? user : nil
    }

    /// The path of a unix socket that listens; `nil` for anything else.
    var listeningPath: String? {
        guard dictation_is_listening(number) != 0 else { return nil }
        var (address, size) = (sockaddr_un(), socklen_t(MemoryLayout<sockaddr_un>.size))
        let code = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(number, $0, &size) }
        }
        guard code == 0, address.sun_family == sa_family_t(AF_UNIX) else { return nil }
        let bytes = withUnsafeBytes(of: address.sun_path) { Array($0.prefix { $0 != 0 }) }
        return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }
}
